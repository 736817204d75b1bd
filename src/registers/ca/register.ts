/** Canada: active and inactive federal corporations, published by Corporations Canada as four files with the same columns. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE, findCountryCode } from '../address.ts';
import { type Cell, CSV, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { describeRecord, otherNumber, ownNumber, ownStatus } from '../record.ts';

const { text, day, whole, number, is, texts, first, group, address } = tableFields();

const [DETAIL, STATUS] = ['Status Detail', 'Status'];
const [readFirstName, readSecondName] = [text('Corporate name - form 1'), text('Corporate name - form 2')];
const STATUSES = readCodeLists('ca').meanings<EntityStatus>('status');
/** The file writes countries as two-letter codes. Other texts are kept as the name of the country. */
const CODE = /^[A-Z]{2}$/;
const readLabel = first(text(DETAIL), text(STATUS));

const mapCorporation = describeRecord<Cell, unknown>({
  name: first(readFirstName, readSecondName),
  // Up to seven digits without leading zeros. Some tools write a dash before the last digit (`123456-7`).
  number: number('Corporation number', /^\d{1,8}$/, 'not a corporation number', dropDashes),
  status: readStatus,
  // The file has no kind of corporation, only the act that governs it, and no date of incorporation: the anniversary date is that of the
  // annual return.
  registrations: [
    ownNumber('Corporations Canada'),
    otherNumber(
      'Canada Revenue Agency',
      'tax',
      (row) => row('Business number (BN)').replaceAll(' ', '').trim() || null,
    ),
  ],
  registry: {
    otherNames(cell, context, common) {
      const name = readSecondName(cell, context, common);
      return name === null || readFirstName(cell, context, common) === null ? null : [{ name }];
    },
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
        country: (cell) => cell('Country').trim().replace(CODE, ''),
        countryCode: (cell) => CODE.exec(cell('Country').trim())?.[0] ?? findCountryCode(cell('Country'), ['en', 'fr']),
      }),
      ENGLISH_STYLE,
      group({
        // Some post codes lack the space in the middle.
        postCode: (cell) =>
          cell('Postal code')
            .trim()
            .replace(/^([A-Z]\d[A-Z])(\d[A-Z]\d)$/, '$1 $2'),
        country: (cell) => cell('Country').trim().replace(/^CA$/, ''),
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

const FILES = ['active-cbca', 'active-non-cbca', 'inactive-or-dissolved-cbca', 'inactive-or-dissolved-non-cbca'].map(
  (name) => `corporations-${name}-en.csv`,
);

export const ca = defineRegister({
  id: 'ca',
  name: 'Corporations Canada, federal corporations',
  nativeName: 'Corporations Canada / Corporations Canada, sociétés de régime fédéral',
  publisher: 'Innovation, Science and Economic Development Canada',
  licence: 'Open Government Licence – Canada',
  attribution: 'Contains information licensed under the Open Government Licence – Canada',
  sourceUrl: 'https://open.canada.ca/data/en/dataset/0032ce54-c5dd-4b66-99a0-320a7b5e99f2',
  companyPage: 'https://ised-isde.canada.ca/cc/lgcy/fdrlCrpDtls.html?corpId={digits}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: FILES.map((name) => ({ url: `https://d4bf66bykfyaf.cloudfront.net/${name}` })),
    size: { min: 120_000_000, max: 1_500_000_000 },
    readIn: 'pulsarpoint/companycollect, companies/analysis/canada',
  },
  files: FILES,
  minimumRows: 500_000,
  numberColumns: ['Corporation number'],
  letters: /[àâæçéèêëîïôœùûüÿ]/iu,
  sources: [
    {
      name: 'corporations',
      csv: CSV,
      required: ['Corporation number', 'Corporate name - form 1', 'Governing legislation', 'Status'],
      match: 'folded',
      map: mapCorporation,
    },
    {
      name: 'OPEN_DATA',
      format: { type: 'xml', element: 'corporation' },
      required: ['@corporationId'],
      refusal:
        'this is the older XML edition (OPEN_DATA), which is not supported. Import the four CSV files, corporations-active-cbca-en.csv and so on, from https://open.canada.ca/data/en/dataset/0032ce54-c5dd-4b66-99a0-320a7b5e99f2',
    },
  ],
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
