/**
 * United Kingdom: the "Free Company Data Product" of Companies House, a monthly CSV of all live companies, and the snapshot of persons
 * with significant control (`psc.ts`).
 */
import { compileStyle, findCountryCode } from '../address.ts';
import { type Activity, type Cell, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, tableFields } from '../fields.ts';
import { readCount } from '../parsing.ts';
import { describeRecord, ownEnd, ownNumber, ownStatus } from '../record.ts';
import { NUMBER, PSC_PARTIES, writeNumber } from './psc.ts';

const AUTHORITY = 'Companies House';

const { text, texts, replaced, day, number, is, parsed, status, group, address } = tableFields();
const numbered = (count: number, name: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => name(at + 1));

// Most of the numbers are 0, which needs no parsing.
const whole = parsed((written) => (written === '0' ? 0 : readCount(written)), 'not a number');
/** Companies that are not partnerships have 0, which is left out. */
const partners = parsed((written) => (/^0+$/.test(written) ? undefined : readCount(written)), 'not a number');

const lists = readCodeLists('gb');
const STATUSES = lists.meanings<EntityStatus>('status');

/** The file writes the `/` in a status with and without spaces around it. */
function tidyStatus(written: string): string {
  const lower = written.toLowerCase();
  return STATUSES.has(lower) ? lower : lower.replace(/\s*\/\s*/g, '/').replace(/\s+/g, ' ');
}

const PREVIOUS_NAMES = numbered(10, (index) => `PreviousName_${index}`).map((previous) => ({
  column: `${previous}.CompanyName`,
  readUntil: day(`${previous}.CONDATE`),
}));
const SIC_COLUMNS = numbered(4, (index) => `SICCode.SicText_${index}`);

/** The parts of the kingdom, as the file writes them. Often the country is empty, and some addresses are abroad. */
const KINGDOM = new Set(['ENGLAND', 'WALES', 'SCOTLAND', 'NORTHERN IRELAND', 'UNITED KINGDOM', 'GREAT BRITAIN']);
const LINES = ['RegAddress.AddressLine1', 'RegAddress.AddressLine2'] as const;
const DEFAULT_ADDRESS = 'COMPANIES HOUSE DEFAULT ADDRESS';

const readAddress = address(
  group({
    // `C/O SMITH & CO` → `SMITH & CO`. Some rows have the prefix alone.
    careOf: replaced('RegAddress.CareOf', /^c\s?[/.]\s?o\b[\s.:-]*/i),
    poBox: text('RegAddress.POBox'),
    lines: texts(...LINES),
    city: text('RegAddress.PostTown'),
    region: text('RegAddress.County'),
    postCode: text('RegAddress.PostCode'),
    country: text('RegAddress.Country'),
    // Almost all rows are in the kingdom or name no country, so they do not reach the slower search.
    countryCode(cell) {
      const country = cell('RegAddress.Country').trim();
      if (KINGDOM.has(country.toUpperCase())) return 'GB';
      const named = country === '' ? null : findCountryCode(country, 'en');
      return named ?? lists.meanings('island').get(cell('RegAddress.County').trim().toUpperCase()) ?? null;
    },
  }),
  compileStyle('c/o {careOf}, {box}, {lines}, {city}, {region}, {postCode}, {country}'),
  (cell) => {
    const box = cell('RegAddress.POBox').trim();
    return box === '' ? null : { box: /box/i.test(box) ? box : `PO Box ${box}` };
  },
);

const mapCompany = describeRecord<Cell, unknown>({
  name: text('CompanyName'),
  // Numbers have eight characters. A spreadsheet that saves the file drops leading zeros, so short ones are padded.
  number: number('CompanyNumber', /^.{8}$/su, 'not eight characters', (written) =>
    written.length < 8 && /^\d+$/.test(written) ? written.padStart(8, '0') : written,
  ),
  registeredAt: day('IncorporationDate'),
  endedAt: day('DissolutionDate'),
  status: status('CompanyStatus', STATUSES, tidyStatus),
  legalForm: group({ label: text('CompanyCategory') }),
  registrations: [ownNumber(AUTHORITY)],
  activities: readActivities,
  registry: {
    status: ownStatus,
    // A company with this status is active until it is struck off.
    strikeOffProposed: is('CompanyStatus', /^active - proposal to strike off$/i),
    endedAt: ownEnd,
    address: readAddress,
    // Companies House replaces an invalid address with its own default address, where the company cannot be found.
    defaultAddress: (cell) => LINES.some((line) => cell(line).trim().endsWith(DEFAULT_ADDRESS)) || null,
    // Most companies have none. Ten groups of fields would take a quarter of the time of a row.
    previousNames(cell, context, common) {
      const names: { name: string; until?: string }[] = [];
      for (const { column, readUntil } of PREVIOUS_NAMES) {
        const name = cell(column).trim();
        if (name === '') continue;
        const until = readUntil(cell, context, common);
        names.push(until === null ? { name } : { name, until });
      }
      return names;
    },
    jurisdiction: findJurisdiction,
    countryOfOrigin: text('CountryOfOrigin'),
    uri: text('URI'),
    accounts: group({
      referenceDay: whole('Accounts.AccountRefDay'),
      referenceMonth: whole('Accounts.AccountRefMonth'),
      nextDue: day('Accounts.NextDueDate'),
      lastMadeUp: day('Accounts.LastMadeUpDate'),
      category: text('Accounts.AccountCategory'),
    }),
    annualReturn: group({ nextDue: day('Returns.NextDueDate'), lastMadeUp: day('Returns.LastMadeUpDate') }),
    confirmationStatement: group({ nextDue: day('ConfStmtNextDueDate'), lastMadeUp: day('ConfStmtLastMadeUpDate') }),
    mortgages: group({
      charges: whole('Mortgages.NumMortCharges'),
      outstanding: whole('Mortgages.NumMortOutstanding'),
      partSatisfied: whole('Mortgages.NumMortPartSatisfied'),
      satisfied: whole('Mortgages.NumMortSatisfied'),
    }),
    limitedPartnership: group({
      generalPartners: partners('LimitedPartnerships.NumGenPartners'),
      limitedPartners: partners('LimitedPartnerships.NumLimPartners'),
    }),
  },
});

/** The letters of a number mark a part of the United Kingdom, each with its own company law, or a company from abroad. */
function findJurisdiction(cell: Cell, _context: unknown, { number }: Common): string | null {
  const part = number === null ? null : lists.patterns('jurisdiction')(number);
  if (number === null || part !== undefined) return part ?? null;
  return /^(?:FC|NF|OE|SF)/.test(number) ? findCountryCode(cell('CountryOfOrigin').trim(), 'en') : null;
}

const SCHEME = 'UK SIC';
const NO_ACTIVITY = 'none supplied';

function readActivities(cell: Cell, context: MapContext<unknown>): Activity[] {
  const found: Activity[] = [];
  for (const column of SIC_COLUMNS) {
    const text = cell(column).trim();
    const activity = text === '' ? null : readActivity(text, column, context);
    if (activity === null) continue;
    const isKnown = found.some(({ code, label }) => code === activity.code && label === activity.label);
    if (!isKnown) found.push(activity);
  }
  return found;
}

/** `62020 - Information technology consultancy activities`. Codes of SIC 2007 have five digits, codes of SIC 2003 four. */
function readActivity(text: string, column: string, context: MapContext<unknown>): Activity | null {
  const dash = text.indexOf(' - ');
  const code = dash < 0 ? text : text.slice(0, dash);
  if ((code.length === 5 || code.length === 4) && readCount(code) !== null) {
    const edition = code.length === 5 ? '2007' : '2003';
    if (dash < 0) return { type: 'unlicensed', code, label: null, scheme: SCHEME, edition };
    return { type: 'unlicensed', code, label: text.slice(dash + 3).trim(), scheme: SCHEME, edition, written: text };
  }
  if (text.toLowerCase() === NO_ACTIVITY) return null;
  context.reportUnknown('activity', column, text);
  return { type: 'unlicensed', code: null, label: text, scheme: SCHEME };
}

export const gb = defineRegister({
  id: 'gb',
  tables: { companies: { map: mapCompany } },
  trees: { 'persons with significant control': { parties: PSC_PARTIES } },
  writeNumber,
  numbers: [{ kind: 'company number', form: NUMBER, write: writeNumber }],
});
