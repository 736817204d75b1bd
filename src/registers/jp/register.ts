/** Japan: corporate numbers of the National Tax Agency. A monthly file lists all legal entities and foreign companies with a number. */
import { EUROPEAN_STYLE } from '../address.ts';
import { checkSum } from '../check-digits.ts';
import { type Cell, CSV, defineRegister } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { tableFields } from '../fields.ts';
import { compact, joinFilled } from '../parsing.ts';
import { describeRecord, ownEnd, ownInference, ownNumber, ownStatus } from '../record.ts';

const { text, day, number, is, code, group, each, concat, address } = tableFields();
const { labels } = readCodeLists('jp');

/** The check digit is the first digit, and never 0. */
const NUMBER = /^[1-9]\d{12}$/;
const hasRightSum = checkSum([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1], 9, 0);
export const isValidNumber = (written: string) => NUMBER.test(written) && hasRightSum(written);

const readPlaces = concat('', 'prefectureName', 'cityName', 'streetNumber');
const writePostCode = (written: string) => written.trim().replace(/^(\d{3})(\d{4})$/, '$1-$2');
const readCause = code('closeCause', labels('closeCause'), 'status');

const mapEntity = describeRecord<Cell, unknown>({
  excluded: ['a deleted entry', (cell) => cell('process').trim() === '99'],
  name: text('name'),
  number: number('corporateNumber', NUMBER, 'not a corporate number'),
  // The file has no date of foundation: `assignmentDate` is the day on which the entity got its number.
  endedAt: day('closeDate'),
  // The file has only which entities are closed, and why.
  status(...row) {
    const cause = readCause(...row);
    if (cause === null && row[0]('closeDate').trim() === '') return { status: 'active', inferredFrom: 'closeDate' };
    return { status: 'dissolved', reason: cause?.label, reasonCode: cause?.code };
  },
  legalForm: code('kind', labels('kind'), 'legalForm'),
  registrations: [ownNumber('国税庁', isValidNumber)],
  registry: {
    status: ownStatus,
    statusInferredFrom: ownInference,
    endedAt: ownEnd,
    otherNames: (cell) =>
      [
        { name: cell('enName').trim(), type: 'translation', language: 'en' } as const,
        { name: cell('furigana').trim(), type: 'transliteration', language: 'ja' } as const,
      ].filter(({ name }) => name !== ''),
    // `680-0011 鳥取県鳥取市東町２丁目２２３`: the largest place comes first, without spaces.
    address: address(
      group({
        text: (...row) => joinFilled([writePostCode(row[0]('postCode')), readPlaces(...row)], ' '),
        street: text('streetNumber'),
        postCode: text('postCode'),
        city: text('cityName'),
        region: text('prefectureName'),
        countryCode: () => 'JP',
        municipalityCode: concat('', 'prefectureCode', 'cityCode'),
        textEn: concat(', ', 'enCityName', 'enPrefectureName'),
      }),
      EUROPEAN_STYLE,
    ),
    // The address of a foreign company is its office in Japan, if it has one.
    addresses: (cell) => {
      const [seat, textEn] = [cell('addressOutside').trim(), cell('enAddressOutside').trim()];
      return seat === '' ? null : [{ type: 'foreign', text: seat, ...compact({ textEn }) }];
    },
    // The publisher shows rare characters as images. A text with an image is approximate.
    images: group({ name: text('nameImageId'), address: text('addressImageId'), seat: text('addressOutsideImageId') }),
    successors: each((cell) => [cell], group({ number: text('successorCorporateNumber') })),
    numberAssignedAt: day('assignmentDate'),
    lastChange: code('process', labels('process')),
    isCorrection: is('correct', /^1$/),
    changedAt: day('changeDate'),
    updatedAt: day('updateDate'),
    changeNote: text('changeCause'),
    excludedFromSearch: is('hihyoji', /^1$/),
  },
});

const PAGE = 'https://www.houjin-bangou.nta.go.jp/download/zenken/';
const INSTEAD = `Import the file of the whole country (00_zenkoku_all_….zip) from ${PAGE}`;

/** Files have no header. Rows in files of 2016 end with `assignmentDate`. */
const isEntity = (cells: readonly string[]) => cells.length >= 23 && NUMBER.test(cells[1] ?? '');
const isCounter = (cells: readonly string[]) => cells.length === 4 && /^\d{4}-\d\d-\d\d$/.test(cells[0] ?? '');
const file = (name: string, fileName: RegExp, isRow = isEntity) =>
  ({ name, csv: CSV, required: [], headerless: { fileName, isRow } }) as const;

export const jp = defineRegister({
  id: 'jp',
  name: 'Corporate Number Publication Site',
  nativeName: '国税庁法人番号公表サイト',
  publisher: 'National Tax Agency (国税庁)',
  licence: 'Public Data License 1.0 (公共データ利用規約 1.0)',
  attribution: '国税庁法人番号公表サイト',
  sourceUrl: PAGE,
  companyPage: 'https://www.houjin-bangou.nta.go.jp/henkorireki-johoto.html?selHouzinNo={number}',
  updates: 'monthly',
  fetch: {
    kind: 'manual',
    steps: [
      `Open ${PAGE}. The page has a form and no fixed addresses of files.`,
      'Download the file of the whole country (全国) in CSV, Unicode: 00_zenkoku_all_….zip.',
    ],
  },
  files: ['00_zenkoku_all_20261031.zip'],
  minimumRows: 4_000_000,
  numberColumns: ['corporateNumber'],
  letters: /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u,
  sources: [
    {
      ...file('changes', /diff_\d{8}/i),
      refusal: `this file has the changes of one day, not all entities. ${INSTEAD}`,
    },
    { ...file('answer', /./, isCounter), refusal: `this is an answer of the web API, not the register. ${INSTEAD}` },
    {
      ...file('companies', /./),
      map: mapEntity,
    },
  ],
  numbers: [{ kind: 'corporate number', form: NUMBER, check: isValidNumber }],
});
