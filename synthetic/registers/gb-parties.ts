/** Generates the snapshot of persons with significant control for the invented companies of `gb.ts`, in two parts. */
import type { Json } from '../../src/base/source-files.ts';
import { NATURES, STATEMENTS } from '../../src/registers/gb/psc-codes.ts';
import { type Chance, createChance, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { listNumbers } from './gb.ts';
import { STREETS, SURNAMES, TOWNS, TRADES, WORDS } from './gb-words.ts';

type JsonRecord = { readonly [key: string]: Json };

/** A record, and the invented company that it is about, if it is about one. */
export interface GeneratedPsc {
  readonly record: JsonRecord;
  readonly owner: string | null;
}

const PSC = 'persons-with-significant-control';
const FORENAMES = ['Ada', 'Bran', 'Cerys', 'Dougal', 'Elspeth', 'Ffion', 'Gareth', 'Harpreet', 'Imogen', 'Jamal'];
const BANDS = ['25-to-50', '50-to-75', '75-to-100'];
/** How many companies can own the next one. */
const MAX_OWNERS = 1_000;

const KINDS: Shares<'person' | 'corporate' | 'statement' | 'protected' | 'exemptions'> = [
  [0.86, 'person'],
  [0.935, 'corporate'],
  [0.998, 'statement'],
  [0.999, 'protected'],
  [1, 'exemptions'],
];

/** All records of the snapshot but the last one, which has the totals. */
export function* generateRecords(rows: number, seed: number): Generator<GeneratedPsc & { readonly company: number }> {
  const chance = createChance(seed + 2);
  const owners: string[] = [];
  let company = 0;
  for (const number of listNumbers(rows, seed)) {
    const count = chance.is(0.3) ? 2 : 1;
    for (let index = 0; index < count; index++) yield { company, ...generateRecord(chance, number, owners) };
    if (owners.length < MAX_OWNERS) owners.push(number);
    company++;
  }
}

function generateRecord(chance: Chance, company: string, owners: readonly string[]): GeneratedPsc {
  const kind = pickByShare(chance, KINDS);
  const id = writeId(chance);
  const write = (path: string, data: JsonRecord): GeneratedPsc => {
    const links = { self: `/company/${company}/${path}/${id}` };
    return { record: { company_number: company, data: { ...data, etag: `${id}${id}`, links } }, owner: null };
  };
  const period = {
    notified_on: chance.is(0.5) ? '2016-04-06' : chance.date(2017, 2021),
    ...(chance.is(0.166) && { ceased_on: chance.date(2022, 2026) }),
  };
  switch (kind) {
    case 'person':
      return write(`${PSC}/individual`, { ...generatePerson(chance), ...period });
    case 'corporate': {
      const { owner, identification } = generateIdentification(chance, company, owners);
      const { record } = write(`${PSC}/corporate-entity`, {
        ...{ address: generateAddress(chance), identification },
        kind: `corporate-entity-person-with-significant-control`,
        ...{ name: `${chance.pick(WORDS)} ${chance.pick(TRADES)} LIMITED`, ...generateNatures(chance), ...period },
      });
      return { record, owner };
    }
    case 'statement':
      return write(`${PSC}-statements`, {
        kind: `${PSC}-statement`,
        ...{ statement: chance.pick(COMPANY_STATEMENTS), ...period },
      });
    case 'protected':
      return write(`${PSC}/super-secure`, {
        ...{ ceased: chance.is(0.1), description: `super-secure-${PSC}` },
        kind: 'super-secure-person-with-significant-control',
      });
    case 'exemptions': {
      const items = [{ exempt_from: '2016-04-06', ...(chance.is(0.3) && { exempt_to: chance.date(2018, 2025) }) }];
      const exemption_type = 'psc-exempt-as-trading-on-regulated-market';
      const exemptions = { psc_exempt_as_trading_on_regulated_market: { exemption_type, items } };
      const links = { self: `/company/${company}/exemptions` };
      return { record: { company_number: company, data: { exemptions, kind, links } }, owner: null };
    }
  }
}

const COMPANY_STATEMENTS = [...STATEMENTS.keys()].filter((code) => /^(no-individual|psc-|steps)/.test(code));
const INFLUENCE = [...NATURES.keys()].filter((code) => /^(right-to-appoint|significant)/.test(code));

/** As long as those of the register: 27 characters. */
function writeId(chance: Chance): string {
  const digits = () => Math.floor(chance.next() * 2 ** 32).toString(36);
  return `${digits()}${digits()}${digits()}${digits()}`.padEnd(27, '_').slice(0, 27);
}

function generatePerson(chance: Chance): JsonRecord {
  const [title, forename, surname] = [
    chance.pick(['Mr', 'Mrs', 'Ms', 'Dr']),
    chance.pick(FORENAMES),
    chance.pick(SURNAMES),
  ];
  return {
    address: generateAddress(chance),
    country_of_residence: chance.pick(['England', 'Scotland', 'United Kingdom', 'Wales']),
    date_of_birth: { month: chance.between(1, 12), year: chance.between(1940, chance.is(0.002) ? 2012 : 1995) },
    kind: 'individual-person-with-significant-control',
    name: `${title} ${forename} ${surname}`,
    name_elements: { forename, surname, title },
    nationality: chance.pick(['British', 'Irish', 'Indian', 'Polish']),
    ...generateNatures(chance),
  };
}

function generateAddress(chance: Chance): JsonRecord {
  const [locality, region, area] = chance.pick(TOWNS);
  return {
    address_line_1: chance.pick(STREETS),
    country: chance.pick(['England', 'United Kingdom']),
    locality,
    postal_code: `${area}${chance.between(1, 28)} ${chance.between(1, 9)}ZZ`,
    premises: String(chance.between(1, 240)),
    ...(region !== '' && { region }),
  };
}

function generateNatures(chance: Chance): JsonRecord {
  const band = chance.pick(BANDS);
  const natures = [`ownership-of-shares-${band}-percent`];
  if (chance.is(0.7)) natures.push(`voting-rights-${band}-percent`);
  if (chance.is(0.3)) natures.push(chance.pick(INFLUENCE));
  return { natures_of_control: natures };
}

const UK = ['England & Wales', 'England And Wales', 'United Kingdom', 'England', 'UK', 'Great Britain'];

type Writing = (chance: Chance, number: string, company: string) => JsonRecord;

/** How companies write the number and country of an owner. The first two are about the invented company `number`, the others are not. */
const WRITINGS: Shares<readonly [isOwner: boolean, write: Writing]> = [
  [0.6, [true, (chance, number) => identify(writeLoosely(chance, number), chance.pick(UK))]],
  [0.64, [true, (_chance, number) => identify(number.replace(/^\D+/, ''), nameCountry(number))]],
  [0.73, [false, () => ({})]],
  [0.78, [false, (chance) => identify(chance.pick(['N/A', 'None', '0', 'n/a']), 'England')]],
  [0.8, [false, () => identify('2006', 'England And Wales')]],
  [0.82, [false, (chance, _number, company) => identify(company, chance.pick(UK))]],
  [
    0.998,
    [false, (chance, number) => identify(number, chance.pick(['Germany', 'Guernsey', 'Delaware, Usa', 'Jersey']))],
  ],
  // A wrong digit.
  [1, [false, (chance, number) => identify(number.replace(/\d$/, String(chance.between(0, 9))), 'England')]],
];

function identify(registration_number: string, country_registered: string): JsonRecord {
  return { country_registered, place_registered: 'Companies House', registration_number };
}

function writeLoosely(chance: Chance, number: string): string {
  const style = chance.between(0, 3);
  if (style === 0) return number.replace(/^0+/, '');
  if (style === 1) return number.replace(/^(\D{2})/, '$1 ').toLowerCase();
  return style === 2 ? ` ${number}` : number;
}

/** Of numbers with letters many write only the digits. */
function nameCountry(number: string): string {
  if (number.startsWith('SC')) return 'Scotland';
  return number.startsWith('NI') ? 'Northern Ireland' : 'England';
}

function generateIdentification(chance: Chance, company: string, owners: readonly string[]) {
  const number = owners.length === 0 ? company : chance.pick(owners);
  const [isOwner, write] = pickByShare(chance, WRITINGS);
  const written = write(chance, number, company);
  const identification = { legal_authority: 'Companies Act 2006', legal_form: 'Private Limited Company', ...written };
  return { owner: isOwner && number !== company ? number : null, identification };
}

const PARTS = 2;

/** The parts of the snapshot. The totals are at the end of the last one. */
export function generateParties(rows: number, seed: number): Readonly<Record<string, SyntheticFile>> {
  const parts = Array.from({ length: PARTS }, (_, index): SyntheticFile => {
    const values = { [Symbol.iterator]: () => generatePart(rows, seed, index) };
    const name = `psc-snapshot-2026-09-18_${index + 1}of${PARTS}.zip`;
    return { name, packing: 'zip', content: { type: 'json', layout: 'lines', values } };
  });
  return Object.fromEntries(parts.map((part, index) => [`psc-${index + 1}`, part]));
}

function* generatePart(rows: number, seed: number, part: number): Generator<Json> {
  const counts = { persons: 0, statements: 0, exemptions: 0 };
  for (const { record, company } of generateRecords(rows, seed)) {
    const { kind } = record.data as { readonly kind: string };
    counts[kind === 'exemptions' ? kind : kind.endsWith('-statement') ? 'statements' : 'persons']++;
    if (Math.floor((company * PARTS) / rows) === part) yield record;
  }
  if (part < PARTS - 1) return;
  yield {
    data: {
      kind: 'totals#persons-of-significant-control-snapshot',
      persons_of_significant_control_count: counts.persons,
      statements_count: counts.statements,
      exemptions_count: counts.exemptions,
      generated_at: '2026-09-18T03:40:50Z',
    },
  };
}
