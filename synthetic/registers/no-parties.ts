/** Generates the file of roles for the invented entities of `no.ts`: boards, managers, partners, auditors and foreign head offices. */
import type { Json } from '../../src/registers/contract.ts';
import { type Chance, createChance } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { generateEntities } from './no.ts';
import { FIRST_NAMES, SURNAMES } from './no-words.ts';

interface Unit {
  readonly organisasjonsnummer: string;
  readonly navn: string;
  readonly organisasjonsform: { readonly kode: string; readonly beskrivelse: string };
}

/** How many units can be the auditor, accountant or partner of a later one. */
const MAX_KNOWN = 1_000;

function* generateRoles(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed + 1);
  const known: Unit[] = [];
  for (const entity of generateEntities(rows, seed)) {
    const unit = entity as unknown as Unit;
    const groups = makeGroups(chance, unit.organisasjonsform.kode, known);
    if (groups.length > 0) yield { organisasjonsnummer: unit.organisasjonsnummer, rollegrupper: groups };
    if (known.length < MAX_KNOWN) known.push(unit);
  }
}

function makeGroups(chance: Chance, form: string, known: readonly Unit[]): Json[] {
  const unit = () => (known.length === 0 ? person(chance) : organisation(chance.pick(known)));
  const group = (kode: string, beskrivelse: string, roller: readonly Json[]): Json => {
    return { type: { kode, beskrivelse }, sistEndret: chance.date(2010, 2026), roller: [...roller] };
  };
  const role = (kode: string, beskrivelse: string, who: Json, rekkefolge = 0): Json => ({
    type: { kode, beskrivelse },
    ...(who as object),
    ...(chance.is(0.05) && { valgtAv: { kode: 'AREP', beskrivelse: 'Representant for de ansatte' } }),
    fratraadt: chance.is(0.01),
    avregistrert: chance.is(0.01),
    rekkefolge,
  });
  if (form === 'ENK') return [group('INNH', 'Innehaver', [role('INNH', 'Innehaver', person(chance))])];
  if (form === 'NUF')
    return [group('HFOR', 'Hovedforetak', [role('HFOR', 'Opplysninger om foretaket i hjemlandet', unit())])];
  if (form === 'DA') {
    const partners = Array.from({ length: chance.between(2, 4) }, (_, index) =>
      role('DTPR', 'Deltaker med delt ansvar', chance.is(0.3) ? unit() : person(chance), index),
    );
    return [group('DELT', 'Deltakere', partners)];
  }
  const board = Array.from({ length: chance.between(0, 4) }, (_, index) =>
    role('MEDL', 'Styremedlem', person(chance), index + 1),
  );
  return [
    group('STYR', 'Styre', [role('LEDE', 'Styrets leder', person(chance)), ...board]),
    ...(chance.is(0.6) ? [group('DAGL', 'Daglig leder', [role('DAGL', 'Daglig leder', person(chance))])] : []),
    ...(chance.is(0.3) ? [group('REVI', 'Revisor', [role('REVI', 'Revisor', unit())])] : []),
    ...(chance.is(0.4) ? [group('REGN', 'Regnskapsfører', [role('REGN', 'Regnskapsfører', unit())])] : []),
  ];
}

function person(chance: Chance): Json {
  const mellomnavn = chance.is(0.3) && { mellomnavn: chance.pick(SURNAMES) };
  const navn = { fornavn: chance.pick(FIRST_NAMES), ...mellomnavn, etternavn: chance.pick(SURNAMES) };
  return { person: { fodselsdato: chance.date(1940, 2004), navn, erDoed: chance.is(0.002) } };
}

function organisation({ organisasjonsnummer, navn, organisasjonsform: { kode, beskrivelse } }: Unit): Json {
  return {
    enhet: { organisasjonsnummer, organisasjonsform: { kode, beskrivelse }, navn: [navn], erSlettet: false },
  };
}

/** The file in the layout of the publisher: one array of companies. */
export function generateParties(rows: number, seed: number): Readonly<Record<string, SyntheticFile>> {
  const values = { [Symbol.iterator]: () => generateRoles(rows, seed) };
  return {
    roles: {
      name: 'roller_totalbestand.json.gz',
      packing: 'gzip',
      content: { type: 'json', layout: 'array', values },
    },
  };
}
