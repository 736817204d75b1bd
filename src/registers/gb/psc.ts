/** The snapshot of persons with significant control (PSC): one JSON object per line, each about one person, company or statement. */
import { formatCount } from '../../base/format-count.ts';
import type { MapContext, MappedParty, PartyRows, Rejection, Tally } from '../contract.ts';
import { readCodeLists, readRows } from '../data-files.ts';
import { NO_PARTY_DETAILS } from '../mapped-party.ts';
import { joinFilled, readDate, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';
import { readLink, writeNumber } from './psc-link.ts';

type Context = MapContext<unknown>;

/**
 * The texts of codes are those of Companies House (api-enumerations, Open Government Licence v3.0); what a code means here is decided in the same
 * two tables.
 */
type Interest = MappedParty['interests'][number];
type Reason = NonNullable<MappedParty['absence']>['reason'];

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
  readRows('gb/psc-statements.tsv').map(([code = '', reason]) => [code, reason as Reason]),
);

/** What differs between the kinds of records. */
type Details = Partial<MappedParty>;

const KINDS = readCodeLists('gb').meanings<keyof typeof READERS>('kind');
const READERS = {
  person: (data: Tree, _company: string, context: Context): Details => ({
    ...{ role: 'beneficial_owner', kind: 'person', name: namePerson(data), interests: listInterests(data, context) },
  }),
  organisation: (data: Tree, company: string, context: Context): Details => ({
    ...{ role: 'controller', kind: 'organisation', name: textOf(data, 'name') },
    ...{ interests: listInterests(data, context), ...readLink(treeOf(data, 'identification'), company) },
  }),
  /** The register publishes nothing about protected persons, not even a date. */
  protected: (data: Tree): Details => ({
    ...{
      role: 'beneficial_owner',
      kind: 'person',
      absence: { reason: 'protected', text: textOf(data, 'description') },
    },
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
  const kind = KINDS.get(roleText);
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
