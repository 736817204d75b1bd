/** Israel: companies and partnerships of the Corporations Authority. */
import { compileStyle, findCountryCode } from '../address.ts';
import { checkLuhn } from '../check-digits.ts';
import { type Cell, defineRegister, type EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf } from '../fields.ts';
import { describeRecord, mapJson, ownNumber, ownStatus } from '../record.ts';

/** The file writes the quotation mark of Hebrew abbreviations as `~`. Names show the mark instead, because users type it: `בע~מ` is `בע"מ`. */
const find = (column: string) => (cell: Cell) => cell(column).replaceAll('~', '"');
const { text, texts, names, day, whole, number, flag, is, status, address, group } = fieldsOf<Cell, unknown>(find);

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
      otherNames: names(texts('שם באנגלית'), { type: 'translation', language: 'en' }),
      address: address(
        group({
          careOf: text('אצל'),
          poBox: text(columns.poBox),
          street: text(columns.street),
          number: text('מספר בית'),
          city: text(columns.city),
          postCode: text('מיקוד'),
          country: (cell) => (cell('מדינה') === 'ישראל' ? null : cell('מדינה').trim()),
          countryCode: (cell) => findCountryCode(cell('מדינה'), 'he,en'),
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

export const il = defineRegister({
  id: 'il',
  tables: { companies: { map: mapCompany }, partnerships: { map: mapPartnership } },
  // The records of the API have the names of the columns as keys.
  trees: {
    'companies, answers of the API': { map: mapJson(mapCompany) },
    'partnerships, answers of the API': { map: mapJson(mapPartnership) },
  },
  numbers: [{ kind: 'company number', form: /^5\d{8}$/, check: isValidNumber }],
});
