/** The seat of a legal unit, which has its address. The unit itself has none. */
import { findCountryCode } from '../address.ts';
import type { Cell, MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Field, fieldsOf, NO_COMMON } from '../fields.ts';
import { compact, joinFilled } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

/** Replaces a value that the publisher may not disclose, such as the name of a person who asked for that. */
export const HIDDEN = '[ND]';

/** Hidden values read as empty, so that no parser takes them for data or reports them as errors. */
export function readShown(cell: Cell, column: string): string {
  const text = cell(column);
  return text.includes(HIDDEN) && text.trim() === HIDDEN ? '' : text;
}

/** Returns what reads a column as `readShown` does. */
export function findShown(column: string): (cell: Cell) => string {
  return (cell) => readShown(cell, column);
}

/** Editions of the classification, by the code in the `nomenclature` column. */
export const EDITIONS: ReadonlyMap<string, { readonly scheme: string; readonly edition: string }> = new Map([
  ['NAFRev2', { scheme: 'NAF', edition: 'Rev2' }],
  ['NAFRev1', { scheme: 'NAF', edition: 'Rev1' }],
  ['NAF1993', { scheme: 'NAF', edition: '1993' }],
  ['NAP', { scheme: 'NAP', edition: '1973' }],
]);
export const NAF_2025 = { scheme: 'NAF', edition: '2025' };

const FLAGS: ReadonlyMap<string | null, boolean> = new Map([
  ['O', true],
  ['true', true],
  ['N', false],
  ['false', false],
]);

/** Null if the value is missing, hidden or unknown. */
export function yesNo<Row>(field: Field<Row, unknown, string>): Field<Row, unknown, boolean> {
  return (row, context, common) => FLAGS.get(field(row, context, common)) ?? null;
}

const RANGES = readCodeLists('fr').ranges('employees');

/** A range of employees with its limits. */
export function describeEmployees<Row>(
  field: Field<Row, unknown, { readonly code?: string; readonly year?: number }>,
): Field<Row, unknown, { readonly code?: string; readonly year?: number }> {
  return (row, context, common) => {
    const found = field(row, context, common);
    return found && { ...RANGES.get(found.code ?? ''), ...found };
  };
}

const { text, day, texts, group } = fieldsOf<Cell, unknown>((name) => findShown(`${name}Etablissement`));
const readStart = fieldsOf<Cell, unknown>(findShown).day('dateDebut');

const STATES: ReadonlyMap<string, string> = new Map([
  ['A', 'Actif'],
  ['F', 'Fermé'],
]);

const readState = group({
  code: text('etatAdministratif'),
  label: (row) => STATES.get(readShown(row, 'etatAdministratifEtablissement').trim()) ?? null,
  since: readStart,
});

const readEstablishment = group({
  name: text('denominationUsuelle'),
  from: day('dateCreation'),
  status: readState,
  signs: texts('enseigne1', 'enseigne2', 'enseigne3'),
  activities: listSeatActivities,
  tradesActivityCode: text('activitePrincipaleRegistreMetiers'),
  employees: describeEmployees(group({ code: text('trancheEffectifs') })),
  employer: yesNo(text('caractereEmployeur')),
  diffusion: text('statutDiffusion'),
});

export function describeSeat(row: Cell, context: MapContext<unknown>, number: string | null) {
  const second = readAddress(row, '2');
  return compact({
    address: readAddress(row, ''),
    addresses: second && [{ type: 'other' as const, ...second }],
    establishments: [{ isSeat: true, ...compact({ number }), ...readEstablishment(row, context, NO_COMMON) }],
  });
}

/** The activities of the seat. They describe the establishment, so a search does not find the unit by them. */
function listSeatActivities(row: Cell) {
  const read = (column: string) => readShown(row, `${column}Etablissement`).trim();
  const [code, naf2025] = [read('activitePrincipale'), read('activitePrincipaleNAF25')];
  const nomenclature = read('nomenclatureActivitePrincipale') || 'NAF';
  return [
    ...(code === '' ? [] : [{ code, ...(EDITIONS.get(nomenclature) ?? { scheme: nomenclature }) }]),
    ...(naf2025 === '' ? [] : [{ code: naf2025, ...NAF_2025 }]),
  ];
}

/** `second` selects the columns of the first or of the second address of an establishment. */
function readAddress(row: Cell, second: '' | '2'): AddressOf | null {
  const part = (field: string) => readShown(row, `${field}${second}Etablissement`).trim() || null;
  const building = part('complementAdresse');
  const number = joinFilled([part('numeroVoie'), part('indiceRepetition')], ' ');
  const street = joinFilled([part('typeVoie'), part('libelleVoie')], ' ');
  const distribution = part('distributionSpeciale');
  const postCode = part('codePostal');
  const city = part('libelleCommune') ?? part('libelleCommuneEtranger');
  const [cedexCode, cedex] = [part('codeCedex'), part('libelleCedex')];
  const country = part('libellePaysEtranger');
  // Mail to a company with a CEDEX goes there instead of to its post code.
  const town = cedex === null ? joinFilled([postCode, city], ' ') : joinFilled([cedexCode, cedex], ' ');
  const written = joinFilled([building, joinFilled([number, street], ' '), distribution, town, country], ', ');
  if (written === '') return null;
  return {
    text: written,
    ...compact({ building, number, street, postCode, city, country }),
    ...compact({
      countryCode: findCountry(country, postCode),
      cityCode: part('codeCommune'),
      specialDistribution: distribution,
      cedexCode,
      cedex,
      countryInseeCode: part('codePaysEtranger'),
    }),
  };
}

/** Addresses abroad have a country. Codes from 98000 are those of Monaco and of territories in the Pacific. */
function findCountry(country: string | null, postCode: string | null): string | null {
  if (country !== null) return findCountryCode(country, ['fr']);
  return postCode !== null && !postCode.startsWith('98') ? 'FR' : null;
}
