/** The snapshot of persons with significant control (PSC): one JSON object per line, each about one person, company or statement. */
import { type MapContext, type MappedParty, type Rejection, rejectRecord, type TreeSource } from '../contract.ts';
import { readDate, type Tree, textOf, textsOf, treeOf, treesOf } from '../parsing.ts';
import { writeNumber } from './number.ts';
import { readInterests, readStatement } from './psc-codes.ts';
import { readPeriod } from './psc-dates.ts';
import { readLink } from './psc-link.ts';
import { checkTotals, TOTALS, tallyRecord } from './psc-totals.ts';

type Context = MapContext<null>;
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

export const pscSource: TreeSource<null> = {
  kind: 'tree',
  name: 'persons with significant control',
  format: { type: 'json' },
  required: ['company_number', 'data'],
  keys: ['company_number', 'data'],
  map: rejectRecord,
  parties: {
    set: 'psc',
    totals: { part: /_(?<part>\d+)of(?<of>\d+)(?=\.)/, tally: tallyRecord, check: checkTotals },
    // A quote inside of a text is escaped, so this is always a key and its value.
    isPerson: (text) => text.includes('"kind":"individual-'),
    map: mapPsc,
  },
};

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
  const nothing = { name: null, number: null, link: null, countryCode: null, interests: [], absence: null };
  return { ...common, key, roleText, ...nothing, ...details };
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
