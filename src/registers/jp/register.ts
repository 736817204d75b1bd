/** Japan: corporate numbers of the National Tax Agency. A monthly file lists all legal entities and foreign companies with a number. */
import { EUROPEAN_STYLE } from '../address.ts';
import { checkSum } from '../check-digits.ts';
import { type Cell, defineRegister } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { tableFields } from '../fields.ts';
import { compact, joinFilled } from '../parsing.ts';
import { describeRecord, ownEnd, ownInference, ownNumber, ownStatus } from '../record.ts';
import type { RegistryOf } from '../vocabulary.ts';

const { text, texts, names, joinLists, day, number, is, code, group, each, concat, address } = tableFields();
const { labels } = readCodeLists('jp');

/** The check digit is the first digit, and never 0. */
const NUMBER = /^[1-9]\d{12}$/;
const hasRightSum = checkSum([1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1], 9, 0);
const isValidNumber = (written: string) => NUMBER.test(written) && hasRightSum(written);

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
    otherNames: joinLists<NonNullable<RegistryOf['otherNames']>[number]>(
      names(texts('enName'), { type: 'translation', language: 'en' }),
      names(texts('furigana'), { type: 'transliteration', language: 'ja' }),
    ),
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

export const jp = defineRegister({
  id: 'jp',
  tables: { companies: { map: mapEntity } },
  numbers: [{ kind: 'corporate number', form: NUMBER, check: isValidNumber }],
});
