/** Canada: active and inactive federal corporations, published by Corporations Canada as four files with the same columns. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE, findCountryCode } from '../address.ts';
import { type Cell, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { describeRecord, otherNumber, ownNumber, ownStatus } from '../record.ts';

const { text, texts, replaced, names, day, whole, number, is, first, group, address } = tableFields();

const [DETAIL, STATUS] = ['Status Detail', 'Status'];
const [FIRST_NAME, SECOND_NAME] = ['Corporate name - form 1', 'Corporate name - form 2'];
const [readFirstName, readSecondNames] = [text(FIRST_NAME), names(texts(SECOND_NAME))];
const STATUSES = readCodeLists('ca').meanings<EntityStatus>('status');
/** The file writes countries as two-letter codes. Other texts are kept as the name of the country. */
const CODE = /^[A-Z]{2}$/;
const readLabel = first(text(DETAIL), text(STATUS));

const mapCorporation = describeRecord<Cell, unknown>({
  name: first(readFirstName, text(SECOND_NAME)),
  // Up to seven digits without leading zeros. Some tools write a dash before the last digit (`123456-7`).
  number: number('Corporation number', /^\d{1,8}$/, 'not a corporation number', dropDashes),
  status: readStatus,
  // The file has no kind of corporation, only the act that governs it, and no date of incorporation: the anniversary date is that of the
  // annual return.
  registrations: [
    ownNumber('Corporations Canada'),
    otherNumber('Canada Revenue Agency', 'tax', replaced('Business number (BN)', / /g)),
  ],
  registry: {
    otherNames: (...row) => (readFirstName(...row) === null ? null : readSecondNames(...row)),
    governingLegislation: text('Governing legislation'),
    // All acts that the file names are federal.
    jurisdiction: (cell) => (cell('Governing legislation').trim() === '' ? null : 'CA'),
    status: ownStatus,
    dissolutionPending: is(DETAIL, /dissolution pending/i),
    anniversaryDate: day('Anniversary date'),
    lastAnnualFiling: whole('Year of last annual filing'),
    lastAnnualMeeting: day('Date of last annual meeting'),
    address: address(
      group({
        lines: texts('Street', 'Street 2'),
        city: text('City/town'),
        region: text('Province/territory'),
        postCode: text('Postal code'),
        country: replaced('Country', CODE),
        countryCode: (cell) => CODE.exec(cell('Country').trim())?.[0] ?? findCountryCode(cell('Country'), 'en,fr'),
      }),
      ENGLISH_STYLE,
      group({
        // Some post codes lack the space in the middle.
        postCode: replaced('Postal code', /^([A-Z]\d[A-Z])(\d[A-Z]\d)$/, '$1 $2'),
        country: replaced('Country', /^CA$/),
      }),
    ),
    directorLimits: group({
      minimum: whole('Minimum number of directors'),
      maximum: whole('Maximum number of directors'),
    }),
  },
});

/** The detail decides the status, or the status column if the file has no detail, such as the file of spring 2026. */
function readStatus(cell: Cell, context: MapContext<unknown>, common: Common): State {
  const label = readLabel(cell, context, common);
  for (const column of [DETAIL, STATUS]) {
    const written = cell(column).trim();
    const status = STATUSES.get(fold(written));
    if (status !== undefined) return { status, label };
    if (written !== '') context.reportUnknown('status', column, written);
  }
  return { status: 'unknown', label };
}

export const ca = defineRegister({
  id: 'ca',
  tables: { corporations: { map: mapCorporation } },
  writeNumber,
  // There is no check digit.
  numbers: [{ kind: 'corporation number', form: /^0*[1-9]\d{0,7}$/, write: writeNumber }],
});

function writeNumber(number: string): string {
  return dropDashes(number).replace(/^0+/, '');
}

function dropDashes(number: string): string {
  return number.replaceAll('-', '');
}
