/** The snapshot of persons with significant control (PSC): one JSON object per line, each about one person, company or statement. */
import { formatCount } from '../../base/format-count.ts';
import type { MapContext, MappedParty, PartyRows, Rejection, Tally } from '../contract.ts';
import { NO_PARTY_DETAILS } from '../mapped-party.ts';
import { readDate, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';
import { readInterests, readStatement } from './psc-codes.ts';
import { readLink, writeNumber } from './psc-link.ts';

type Context = MapContext<unknown>;
/** What differs between the kinds of records. */
type Details = Pick<MappedParty, 'role' | 'kind'> & Partial<MappedParty>;
type ReadDetails = (data: Tree, common: Common, context: Context) => Details | Rejection;

interface Common extends Pick<MappedParty, 'company' | 'from' | 'until' | 'current'> {}

const PERSON = { role: 'beneficial_owner', kind: 'person' } as const;
const CONTROLLER = { role: 'controller', kind: 'organisation' } as const;

const KINDS: Readonly<Record<string, ReadDetails>> = {
  'individual-person-with-significant-control': readPerson,
  'individual-beneficial-owner': readPerson,
  'corporate-entity-person-with-significant-control': readOrganisation,
  'corporate-entity-beneficial-owner': readOrganisation,
  'legal-person-person-with-significant-control': readOrganisation,
  'legal-person-beneficial-owner': readOrganisation,
  'super-secure-person-with-significant-control': readProtected,
  'super-secure-beneficial-owner': readProtected,
  'persons-with-significant-control-statement': readCompanyStatement,
  exemptions: readExemptions,
};

const TOTALS = 'totals#persons-of-significant-control-snapshot';

const PARTIES: PartyRows<Tree, unknown> = {
  set: 'psc',
  totals: { part: /_(?<part>\d+)of(?<of>\d+)(?=\.)/, tally: tallyRecord, check: checkTotals },
  // A quote inside of a text is escaped, so this is always a key and its value.
  isPerson: (text) => text.includes('"kind":"individual-'),
  map: mapPsc,
};

export const pscSource = {
  name: 'persons with significant control',
  format: { type: 'json' },
  required: ['company_number', 'data'],
  parties: PARTIES,
} as const;

function mapPsc(record: Tree, context: Context): MappedParty | Rejection {
  const data = treeOf(record, 'data');
  const roleText = textOf(data, 'kind');
  if (roleText === TOTALS) return { rejected: 'the totals of the file', expected: true };
  const company = writeNumber(textOf(record, 'company_number'));
  const key = textOf(treeOf(data, 'links'), 'self').replace(/^\/company\/[^/]*\//, '');
  const readDetails = KINDS[roleText];
  if (readDetails === undefined) return { rejected: `unknown kind ${JSON.stringify(roleText.slice(0, 80))}` };
  if (company === '' || key === '') return { rejected: company === '' ? 'no company number' : 'no id' };
  const period = readPeriod(data, company.startsWith('OE'), context);
  const isOver = textOf(data, 'ceased_on') !== '' || data.ceased === true;
  const common = { company, ...period, current: !isOver };
  const details = readDetails(data, common, context);
  if ('rejected' in details) return details;
  return { ...NO_PARTY_DETAILS, ...common, key, roleText, ...details };
}

function readPerson(data: Tree, _common: Common, context: Context): Details | Rejection {
  const parts = treeOf(data, 'name_elements');
  const name = ['title', 'forename', 'middle_name', 'surname'].map((part) => textOf(parts, part)).filter(Boolean);
  return nameParty(PERSON, textOf(data, 'name') || name.join(' '), data, context);
}

function readOrganisation(data: Tree, { company }: Common, context: Context): Details | Rejection {
  const party = nameParty(CONTROLLER, textOf(data, 'name'), data, context);
  return { ...party, ...readLink(treeOf(data, 'identification'), company) };
}

function nameParty(
  party: Pick<MappedParty, 'role' | 'kind'>,
  name: string,
  data: Tree,
  context: Context,
): Details | Rejection {
  if (name === '') return { rejected: 'no name' };
  return { ...party, name, interests: readInterests(textsOf(data, 'natures_of_control'), context) };
}

/** The register publishes nothing about them, not even a date. */
function readProtected(data: Tree): Details {
  return { ...PERSON, absence: { reason: 'protected', text: textOf(data, 'description') } };
}

/** Some statements are about owners that are listed. These do not end a chain of owners, so their role is `other`. */
function readCompanyStatement(data: Tree, _common: Common, context: Context): Details {
  const absence = readStatement(textOf(data, 'statement'), context);
  return { role: absence.reason === 'statement' ? 'other' : 'beneficial_owner', kind: 'unknown', absence };
}

/** A record has all exemptions of a company, and each of them any number of periods. The one in force counts. */
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

/** Companies and partnerships have to say who controls them since this day. Overseas entities also name earlier days. */
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
 * The last line of the last part says how many records the snapshot has, so that a missing part or line is noticed. Persons are counted as what
 * remains of all records.
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
  const {
    trailers = 0,
    statements = 0,
    exemptions = 0,
    saidPersons = 0,
    saidStatements = 0,
    saidExemptions = 0,
  } = tally;
  if (trailers !== 1) {
    const found = trailers === 0 ? 'no line with the totals' : `${trailers} lines with totals`;
    return `the snapshot has ${found}, but exactly one is published at its end: give all parts of one day, each once`;
  }
  const persons = records - trailers - statements - exemptions;
  // It is not documented whether the totals include protected persons.
  const isComplete = [0, tally.protected ?? 0].some((left) => persons - left === saidPersons);
  if (isComplete && statements === saidStatements && exemptions === saidExemptions) return null;
  const list = (...counts: [number, number, number]) => {
    const [ofPersons, ofStatements, ofExemptions] = counts.map(formatCount);
    return `${ofPersons} persons, ${ofStatements} statements and ${ofExemptions} exemptions`;
  };
  return `the files have ${list(persons, statements, exemptions)}, but the totals in their last line are ${list(saidPersons, saidStatements, saidExemptions)}: download the parts again`;
}
