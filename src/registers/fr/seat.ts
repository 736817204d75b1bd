/** The seat of a legal unit. The files have an address for the seat, but not for the unit. */
import { compileStyle, findCountryCode } from '../address.ts';
import type { Cell, MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Field, fieldsOf, NO_COMMON } from '../fields.ts';
import { compact } from '../parsing.ts';

const lists = readCodeLists('fr');

/** Replaces a value that the publisher may not disclose, such as the name of a person who asked not to be named. */
export const HIDDEN = '[ND]';

/** Hidden values read as empty, so that no parser takes them for data or reports them as errors. */
export function readShown(cell: Cell, column: string): string {
  const text = cell(column);
  return text.includes(HIDDEN) && text.trim() === HIDDEN ? '' : text;
}

/** Returns a function that reads a column as `readShown` does. */
export function findShown(column: string): (cell: Cell) => string {
  return (cell) => readShown(cell, column);
}

/** Editions of the classification, by the code in the `nomenclature` column. */
export const EDITIONS: ReadonlyMap<string, { readonly scheme: string; readonly edition: string }> = new Map(
  Array.from(lists.labels('edition'), ([code, edition]) => [code, { scheme: code.slice(0, 3), edition }]),
);
export const NAF_2025 = { scheme: 'NAF', edition: '2025' };

/** The known flags. A flag with another value is missing, hidden or unknown. */
export const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['O', true],
  ['true', true],
  ['N', false],
  ['false', false],
]);

const RANGES = lists.ranges('employees');

/** A range of employees with its limits. */
export function describeEmployees<Row>(
  field: Field<Row, unknown, { readonly code?: string; readonly year?: number }>,
): Field<Row, unknown, { readonly code?: string; readonly year?: number }> {
  return (row, context, common) => {
    const found = field(row, context, common);
    return found && { ...RANGES.get(found.code ?? ''), ...found };
  };
}

const { text, day, texts, concat, first, lookup, group, address } = fieldsOf<Cell, unknown>((name) =>
  findShown(`${name}Etablissement`),
);

const readState = group({
  code: text('etatAdministratif'),
  label: lookup('etatAdministratif', lists.labels('seat status')),
  since: fieldsOf<Cell, unknown>(findShown).day('dateDebut'),
});

const readEstablishment = group({
  name: text('denominationUsuelle'),
  from: day('dateCreation'),
  status: readState,
  signs: texts('enseigne1', 'enseigne2', 'enseigne3'),
  activities: listSeatActivities,
  tradesActivityCode: text('activitePrincipaleRegistreMetiers'),
  employees: describeEmployees(group({ code: text('trancheEffectifs') })),
  employer: lookup('caractereEmployeur', FLAGS),
  diffusion: text('statutDiffusion'),
});

export function describeSeat(row: Cell, context: MapContext<unknown>, number: string | null) {
  const second = readSecondAddress(row, context, NO_COMMON);
  return compact({
    address: readAddress(row, context, NO_COMMON),
    addresses: second && [{ type: 'other' as const, ...second }],
    establishments: [{ isSeat: true, ...compact({ number }), ...readEstablishment(row, context, NO_COMMON) }],
  });
}

/** The activities of the seat. These activities describe the establishment, so a search by activity does not use them. */
function listSeatActivities(row: Cell) {
  const read = (column: string) => readShown(row, `${column}Etablissement`).trim();
  const [code, naf2025] = [read('activitePrincipale'), read('activitePrincipaleNAF25')];
  const nomenclature = read('nomenclatureActivitePrincipale') || 'NAF';
  return [
    ...(code === '' ? [] : [{ code, ...(EDITIONS.get(nomenclature) ?? { scheme: nomenclature }) }]),
    ...(naf2025 === '' ? [] : [{ code: naf2025, ...NAF_2025 }]),
  ];
}

const [readAddress, readSecondAddress] = [describeAddress(''), describeAddress('2')] as const;

/** `second` selects the columns of the first or of the second address of an establishment. */
function describeAddress(second: '' | '2') {
  const part = (name: string) => text(`${name}${second}`);
  const [readCedex, readCedexCode] = [part('libelleCedex'), part('codeCedex')];
  const readCountry = part('libellePaysEtranger');
  const readPostCode = part('codePostal');
  return address(
    group({
      building: part('complementAdresse'),
      number: concat(' ', `numeroVoie${second}`, `indiceRepetition${second}`),
      street: concat(' ', `typeVoie${second}`, `libelleVoie${second}`),
      postCode: readPostCode,
      city: first(part('libelleCommune'), part('libelleCommuneEtranger')),
      country: readCountry,
      // Addresses abroad have a country. Codes from 98000 belong to Monaco and to territories in the Pacific.
      countryCode(...row) {
        const [country, postCode] = [readCountry(...row), readPostCode(...row)];
        if (country !== null) return findCountryCode(country, ['fr']);
        return postCode !== null && !postCode.startsWith('98') ? 'FR' : null;
      },
      cityCode: part('codeCommune'),
      specialDistribution: part('distributionSpeciale'),
      cedexCode: readCedexCode,
      cedex: readCedex,
      countryInseeCode: part('codePaysEtranger'),
    }),
    compileStyle('{building}, {number} {street}, {specialDistribution}, {townCode} {town}, {country}', 'kept'),
    // Mail to a company with a CEDEX goes there instead of to its post code.
    group({
      townCode: (...row) => (readCedex(...row) === null ? readPostCode : readCedexCode)(...row),
      town: first(readCedex, part('libelleCommune'), part('libelleCommuneEtranger')),
    }),
  );
}
