/** The snapshot of persons with significant control (PSC): one JSON object per line, each about one person, company or statement. */
import { fold } from '../../base/fold.ts';
import { formatCount } from '../../base/format-count.ts';
import { findCountryCode } from '../address.ts';
import type { MapContext, MappedParty, PartyRows, Rejection, Tally } from '../contract.ts';
import { readCodeLists, readRows } from '../data-files.ts';
import { NO_PARTY_DETAILS } from '../mapped.ts';
import { joinFilled, readDate, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';

type Context = MapContext<unknown>;

type Interest = MappedParty['interests'][number];
/** What differs between the kinds of records. */
type Details = Partial<MappedParty>;

/**
 * The texts of codes are those of Companies House (api-enumerations, Open Government Licence v3.0); what a code means here is decided in the same
 * two tables.
 */
export const NATURES: ReadonlyMap<string, Interest> = new Map(
  readRows('gb/psc-natures.tsv').map(([code = '', type, min, max, heldAs]) => [
    code,
    {
      type: type as Interest['type'],
      share: min ? { min: Number(min), max: Number(max) } : null,
      ...(heldAs && { heldAs: heldAs as Interest['heldAs'] }),
    },
  ]),
);

export const STATEMENTS = new Map(
  readRows('gb/psc-statements.tsv').map(([code = '', reason]) => {
    return [code, reason as NonNullable<MappedParty['absence']>['reason']];
  }),
);

const lists = readCodeLists('gb');
/** The names that companies of the United Kingdom write as their country, simplified, and whether their numbers may be digits alone. */
const UK = lists.meanings<'digits' | 'letters'>('country');
const READERS = {
  person: (data: Tree, _company: string, context: Context): Details => ({
    role: 'beneficial_owner',
    ...{ kind: 'person', name: namePerson(data), interests: listInterests(data, context) },
  }),
  organisation: (data: Tree, company: string, context: Context): Details => ({
    role: 'controller',
    ...{ kind: 'organisation', name: textOf(data, 'name'), interests: listInterests(data, context) },
    ...readLink(treeOf(data, 'identification'), company),
  }),
  /** The register publishes nothing about protected persons, not even a date. */
  protected: (data: Tree): Details => ({
    role: 'beneficial_owner',
    ...{ kind: 'person', absence: { reason: 'protected', text: textOf(data, 'description') } },
  }),
  statement: readStatement,
  exemptions: readExemptions,
};

const TOTALS = 'totals#persons-of-significant-control-snapshot';

export const PSC_PARTIES: Omit<PartyRows<Tree, unknown>, 'set'> = {
  totals: { part: /_(?<part>\d+)of(?<of>\d+)(?=\.)/, tally: tallyRecord, check: checkTotals },
  // A quote inside of a text is escaped, so this is always a key and its value.
  isPerson: (text) => text.includes('"kind":"individual-'),
  map: mapPsc,
};

function mapPsc(record: Tree, context: Context): MappedParty | Rejection {
  const data = treeOf(record, 'data');
  const roleText = textOf(data, 'kind');
  if (roleText === TOTALS) return { rejected: 'the totals of the file', expected: true };
  const company = writeNumber(textOf(record, 'company_number'));
  const key = textOf(treeOf(data, 'links'), 'self').replace(/^\/company\/[^/]*\//, '');
  const kind = lists.meanings<keyof typeof READERS>('kind').get(roleText);
  if (kind === undefined) return { rejected: `unknown kind ${JSON.stringify(roleText.slice(0, 80))}` };
  if (company === '' || key === '') return { rejected: company === '' ? 'no company number' : 'no id' };
  const period = readPeriod(data, company.startsWith('OE'), context);
  const current = textOf(data, 'ceased_on') === '' && data.ceased !== true;
  const details = READERS[kind](data, company, context);
  if (details.name === '') return { rejected: 'no name' };
  return { ...NO_PARTY_DETAILS, company, ...period, current, key, roleText, ...details } as MappedParty;
}

function namePerson(data: Tree): string {
  const parts = treeOf(data, 'name_elements');
  const names = ['title', 'forename', 'middle_name', 'surname'].map((part) => textOf(parts, part));
  return textOf(data, 'name') || joinFilled(names, ' ');
}

/** One interest for each nature of control, in the order of the source. */
function listInterests(data: Tree, context: Context): MappedParty['interests'] {
  return textsOf(data, 'natures_of_control').map((code) => {
    const interest = NATURES.get(code);
    if (interest === undefined) context.report('natures_of_control', code, 'unknown nature of control');
    return interest ?? { type: 'other', share: null };
  });
}

/** Some statements are about owners that are listed. Such statements do not end a chain of owners, so their role is `other`. */
function readStatement(data: Tree, _company: string, context: Context): Details {
  const text = textOf(data, 'statement');
  // The official code is misspelt.
  const reason = STATEMENTS.get(text.replace('-significant-', '-signficant-')) ?? STATEMENTS.get(text);
  if (reason === undefined) context.report('statement', text, 'unknown statement');
  const role = (reason ?? 'statement') === 'statement' ? 'other' : 'beneficial_owner';
  return { role, kind: 'unknown', absence: { reason: reason ?? 'statement', text } };
}

/** A record has all exemptions of a company, and an exemption has any number of periods. The period in force counts. */
function readExemptions(data: Tree): Details {
  const all = Object.values(treeOf(data, 'exemptions')).flatMap((value) => treesOf({ value }, 'value'));
  const periods = all.flatMap((exemption) =>
    treesOf(exemption, 'items').map((item) => ({
      text: textOf(exemption, 'exemption_type'),
      from: readDate(textOf(item, 'exempt_from')),
      until: readDate(textOf(item, 'exempt_to')),
      isOver: textOf(item, 'exempt_to') !== '',
    })),
  );
  const inForce = periods.filter(({ isOver }) => !isOver);
  const shown = inForce.length > 0 ? inForce : periods;
  const days = (name: 'from' | 'until') => shown.flatMap((period) => period[name] ?? []).sort();
  return {
    ...{ role: 'beneficial_owner', kind: 'unknown', current: inForce.length > 0 },
    ...{ from: days('from')[0] ?? null, until: days('until').at(-1) ?? null },
    absence: { reason: 'exempt', text: [...new Set(shown.map(({ text }) => text))].join(', ') },
  };
}

/** Companies and partnerships must state who controls them since this day. Overseas entities also name earlier days. */
const FIRST_DAY = '2016-04-06';
const LAST_DAY = '2100-01-01';

function readPeriod(data: Tree, isOverseas: boolean, context: Context): Pick<MappedParty, 'from' | 'until'> {
  const read = (key: string, first: string) => {
    const text = textOf(data, key);
    const day = readDate(text);
    const isPossible = day !== null && day >= first && day < LAST_DAY;
    if (text !== '' && !isPossible) context.report(key, text, day === null ? 'not a date' : 'not a possible date');
    return isPossible ? day : null;
  };
  const first = isOverseas ? '1900-01-01' : FIRST_DAY;
  const from = read('notified_on', first);
  const until = read('ceased_on', first);
  if (from === null || until === null || from <= until) return { from, until };
  context.report('ceased_on', until, 'before the first day');
  return { from, until: null };
}

/**
 * The last line of the last part has the numbers of records in the snapshot, so that a missing part or line is noticed. The number of persons
 * is the number of all records less the records of other kinds.
 */
function tallyRecord(record: Tree): Tally | null {
  const data = treeOf(record, 'data');
  const kind = textOf(data, 'kind');
  if (kind === TOTALS) {
    const count = (key: string) => Number(textOf(data, key)) || 0;
    return {
      trailers: 1,
      saidPersons: count('persons_of_significant_control_count'),
      saidStatements: count('statements_count'),
      saidExemptions: count('exemptions_count'),
    };
  }
  if (kind === 'persons-with-significant-control-statement') return { statements: 1 };
  if (kind === 'exemptions') return { exemptions: 1 };
  return kind.startsWith('super-secure-') ? { protected: 1 } : null;
}

function checkTotals(tally: Tally, records: number): string | null {
  const { trailers = 0, statements = 0, exemptions = 0, saidPersons = 0 } = tally;
  const { saidStatements = 0, saidExemptions = 0 } = tally;
  if (trailers !== 1) {
    const found = trailers === 0 ? 'no line with the totals' : `${trailers} lines with totals`;
    return `the snapshot has ${found}, but exactly one is published at its end: give all parts of one day, each once`;
  }
  const persons = records - trailers - statements - exemptions;
  // It is not documented whether the totals include protected persons.
  const isComplete = [0, tally.protected ?? 0].some((left) => persons - left === saidPersons);
  if (isComplete && statements === saidStatements && exemptions === saidExemptions) return null;
  const list = (...counts: readonly number[]) => {
    const [ofPersons, ofStatements, ofExemptions] = counts.map(formatCount);
    return `${ofPersons} persons, ${ofStatements} statements and ${ofExemptions} exemptions`;
  };
  return `the files have ${list(persons, statements, exemptions)}, but the totals in their last line are ${list(saidPersons, saidStatements, saidExemptions)}: download the parts again`;
}

const NO_NUMBERS: ReadonlySet<string> = new Set('n/a|na|n.a.|n.a|none|not applicable|unknown|tbc|-'.split('|'));

/** Texts that may name a state instead of a country, such as `Georgia, USA` and `Georgia`. */
const AMBIGUOUS = /,|^georgia$|^$/i;

/** The countries of other registers that a link may name. The import checks the form and the check digits of numbers of these registers. */
const OTHERS: ReadonlySet<string | null> = new Set('BE CZ EE FI FR IE LT LV NO'.split(' '));

/** Companies, partnerships, societies and others whose numbers start with letters. */
const PREFIXED =
  /^(?:AC|CE|CS|ES|FC|FE|GE|GN|GS|IC|IP|LP|NA|NC|NF|NI|NL|NO|NP|NR|NV|NZ|OC|OE|PC|RC|RS|SA|SC|SE|SF|SG|SI|SL|SO|SP|SR|SZ|ZC)\d{5}[\dA-Z]$/;
/** Shorter numbers of digits are often something else, such as the year of the Companies Act. */
const DIGITS = /^\d{5,8}$/;

/** Which company a corporate owner is. Country and number are free text, so a link needs both to be beyond doubt. */
function readLink(identification: Tree, company: string): Details {
  const written = textOf(identification, 'registration_number');
  const number = written === '' || NO_NUMBERS.has(written.toLowerCase()) || /^0+$/.test(written) ? null : written;
  const place = textOf(identification, 'country_registered') || textOf(identification, 'place_registered');
  const country = simplify(place);
  const isUk = UK.has(country);
  const countryCode = isUk ? 'GB' : AMBIGUOUS.test(place) ? null : findCountryCode(place, 'en');
  const found = number && (isUk ? readUkNumber(number, country) : findForeign(number, countryCode));
  // Some companies write their own number.
  const isItself = found && found.register === 'gb' && found.number === company;
  return { number, countryCode, link: found && !isItself ? found : null };
}

function simplify(country: string): string {
  return fold(country.replaceAll('&', ' and ').replaceAll('.', ''))
    .replace(/[^a-z]+/g, ' ')
    .trim();
}

function readUkNumber(written: string, country: string): MappedParty['link'] {
  const text = written.replace(/\s/g, '').toUpperCase();
  if (!(PREFIXED.test(text) || (DIGITS.test(text) && UK.get(country) === 'digits'))) return null;
  return NUMBER.test(text) ? { register: 'gb', number: writeNumber(text) } : null;
}

function findForeign(written: string, countryCode: string | null): MappedParty['link'] {
  const number = written.replace(/[\s.-]/g, '');
  if (countryCode === null || !OTHERS.has(countryCode) || !/^\d{5,}$/.test(number)) return null;
  return { register: countryCode.toLowerCase(), number };
}

/**
 * A number of the register: eight digits, two letters and six digits, or an older form such as `IP10067R` and `R0000123`. There is no check
 * digit, and leading zeros are often left out.
 */
export const NUMBER = /^(?:\d{1,8}|[A-Z]{2}\d{5}[0-9A-Z]|R\d{7})$/;

export function writeNumber(number: string): string {
  return /^\d+$/.test(number) ? number.padStart(8, '0') : number.toUpperCase();
}
