/** Israel: companies and partnerships of the Corporations Authority. */
import { compileStyle, findCountryCode } from '../address.ts';
import { checkLuhn } from '../check-digits.ts';
import { type Cell, CSV, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf } from '../fields.ts';
import { type Tree, textOf } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus } from '../record.ts';

/** The file writes the quotation mark of Hebrew abbreviations as `~`. Names show the mark instead, because users type it: `בע~מ` is `בע"מ`. */
const find = (column: string) => (cell: Cell) => cell(column).replaceAll('~', '"');
const { text, day, whole, number, flag, is, status, address, group } = fieldsOf<Cell, unknown>(find);

const isValidNumber = checkLuhn(9);
const STYLE = compileStyle('c/o {careOf}, PO Box {poBox}, {street} {number}, {city} {postCode}, {country}');
const STATUSES = readCodeLists('il').meanings<EntityStatus>('status');

/** Describes companies or partnerships, whose tables have different names for a few columns. */
function describe(kind: 'חברה' | 'שותפות', columns: { status: string; city: string; street: string; poBox: string }) {
  const readStatus = status(columns.status, STATUSES, (written) => written.replace(/\s+/g, ' '));
  return describeRecord<Cell, unknown>({
    name: text(`שם ${kind}`),
    number: number(`מספר ${kind}`, /^\d{9}$/, 'not a number of nine digits'),
    registeredAt: day('תאריך התאגדות'),
    status(...row) {
      if (row[0](columns.status).trim() === '') return null;
      const code = text('קוד סטטוס חברה')(...row);
      return { ...(readStatus(...row) ?? { status: 'unknown' }), code, reason: text('תת סטטוס')(...row) };
    },
    legalForm: group({ code: text('קוד סוג חברה'), label: text('סוג תאגיד') }),
    registrations: [ownNumber('רשות התאגידים', isValidNumber)],
    registry: {
      status: ownStatus,
      otherNames(...row) {
        const name = text('שם באנגלית')(...row);
        return name === null ? null : [{ name, type: 'translation', language: 'en' }];
      },
      address: address(
        group({
          careOf: text('אצל'),
          poBox: text(columns.poBox),
          street: text(columns.street),
          number: text('מספר בית'),
          city: text(columns.city),
          postCode: text('מיקוד'),
          country: (cell) => (cell('מדינה') === 'ישראל' ? null : cell('מדינה').trim()),
          countryCode: (cell) => findCountryCode(cell('מדינה'), ['he', 'en']),
        }),
        STYLE,
      ),
      purpose: text('מטרת החברה'),
      description: text('תאור חברה'),
      liability: text('מגבלות'),
      isGovernmentCompany: flag('חברה ממשלתית', { כן: true, לא: false }, 'neither כן nor לא'),
      isInBreach: is('מפרה', /./),
      lastAnnualReport: whole('שנה אחרונה של דוח שנתי (שהוגש)'),
      classification: text('קוד סיווג חברה'),
    },
  });
}

const mapCompany = describe('חברה', { status: 'סטטוס חברה', city: 'שם עיר', street: 'שם רחוב', poBox: 'ת.ד.' });
const mapPartnership = describe('שותפות', { status: 'סטטוס תאגיד', city: 'ישוב', street: 'רחוב', poBox: 'ת.ד' });

/** The CSV file of a table, and the records of the API, which have the names of the columns as keys. */
const sources = (name: string, map: typeof mapCompany, ...required: readonly string[]) =>
  [
    { name, csv: CSV, required, map },
    {
      name: `${name}, answers of the API`,
      format: { type: 'json' },
      required: required.slice(0, 1),
      map: (tree: Tree, context: MapContext<unknown>) => map((column) => textOf(tree, column), context),
    },
  ] as const;

const PAGE = 'https://data.gov.il/dataset/ica_companies';

export const il = defineRegister({
  id: 'il',
  name: 'Companies and Partnerships of Israel',
  nativeName: 'רשם החברות והשותפויות',
  publisher: 'Israeli Corporations Authority, Ministry of Justice (רשות התאגידים)',
  licence: 'Terms of data.gov.il: free use with the source named',
  attribution: 'Israeli Corporations Authority, data.gov.il',
  sourceUrl: PAGE,
  updates: 'daily',
  fetch: {
    kind: 'ckan',
    api: 'https://data.gov.il/api/3/action',
    packages: [
      {
        package: '246d949c-a253-4a36-a4d5-d0c2e4b5b2c1',
        resources: [
          { match: /f004176c-b85f-4542-8901-7b3176f9a054/ },
          { match: /139aa193-fabb-4f6b-a71b-0bb40fd73eb2/ },
        ],
      },
    ],
    size: { min: 60_000_000, max: 1_500_000_000 },
    readIn: 'public importers of the data set',
  },
  files: ['ica_companies.csv', 'ica_partnerships.csv'],
  minimumRows: 600_000,
  numberColumns: ['מספר חברה', 'מספר שותפות'],
  letters: /\p{sc=Hebrew}/u,
  sources: [
    ...sources('companies', mapCompany, 'מספר חברה', 'שם חברה', 'סטטוס חברה'),
    ...sources('partnerships', mapPartnership, 'מספר שותפות', 'שם שותפות', 'סטטוס תאגיד'),
    {
      name: 'changes',
      csv: CSV,
      required: ['מספר חברה'],
      refusal: `this is another table of the authority, such as that of changes, not its companies. Import both tables of ${PAGE}`,
    },
  ],
  numbers: [{ kind: 'company number', form: /^5\d{8}$/, check: isValidNumber }],
});
