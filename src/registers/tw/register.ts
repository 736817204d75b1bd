/** Taiwan: business tax registrations of the Ministry of Finance: companies, branches, sole proprietors and others that do business. */
import { EUROPEAN_STYLE } from '../address.ts';
import { sumProductDigits } from '../check-digits.ts';
import { type Cell, defineRegister, type EntityStatus } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { readCount, readDate } from '../parsing.ts';
import { describeRecord, ownNumber, ownStatus } from '../record.ts';

const { text, parsed, number, flag, group, groupWith, address, activity, listOf } = tableFields();
const NUMBER = '統一編號';
const PUBLISHER = '財政部財政資訊中心';

/** A seventh digit of 7, times its weight 4, has the digit sum 10, which counts as 0 or as 1. */
function isValidNumber(written: string): boolean {
  const sum = sumProductDigits(written, [1, 2, 1, 2, 1, 2, 4, 1]);
  return sum !== null && (sum % 5 === 0 || (written[6] === '7' && sum % 5 === 4));
}

/** `0760321` is 21 March of the year 76 of the Republic, which began in 1912. */
const minguoDay = parsed((written) => {
  const [, year, month, day] = /^(\d{2,3})(\d{2})(\d{2})$/.exec(written) ?? [];
  return readDate(`${Number(year) + 1911}-${month}-${day}`);
}, 'not a date of the Republic');

/** The largest place comes first: a city and its district (區), or a county and a township or city in it. */
const PLACE = /^(?:(?<city>..市)(?<district>.{1,3}?區)?|(?<region>..縣)(?<town>.{1,3}?[鄉鎮市]))(?<street>.+)$/u;
const findPlace = (cell: Cell) => PLACE.exec(cell('營業地址').replaceAll(/\s/g, ''))?.groups;
const readAddress = address(
  group({
    text: text('營業地址'),
    street: (cell) => findPlace(cell)?.street ?? null,
    district: (cell) => findPlace(cell)?.district ?? null,
    city: (cell) => findPlace(cell)?.city ?? findPlace(cell)?.town ?? null,
    region: (cell) => findPlace(cell)?.region ?? null,
    countryCode: (cell) => (findPlace(cell) === undefined ? null : 'TW'),
  }),
  EUROPEAN_STYLE,
);

/** Each file has the businesses of one status. */
function describeFile(status: EntityStatus) {
  return describeRecord<Cell, unknown>({
    // `14-AUG-26,,,`: the second line is the day on which the file was written.
    excluded: ['the day of the file', (cell) => cell(NUMBER) === '' && /^\d\d-[A-Z]{3}-\d\d$/.test(cell('營業地址'))],
    name: text('營業人名稱'),
    number: number(NUMBER, /^\d{8}$/, 'not a business number'),
    registeredAt: minguoDay('設立日期'),
    status: (...row) => ({ status, inferredFrom: 'file', since: minguoDay('停業日期')(...row) }),
    legalForm: group({ label: text('組織別名稱') }),
    registrations: [ownNumber(PUBLISHER, isValidNumber)],
    activities: listOf(
      activity('稅務行業', '行業代號', { label: text('名稱'), main: true }),
      activity('稅務行業', '行業代號1', { label: text('名稱1') }),
      activity('稅務行業', '行業代號2', { label: text('名稱2') }),
      activity('稅務行業', '行業代號3', { label: text('名稱3') }),
    ),
    registry: {
      status: ownStatus,
      statusInferredFrom: () => 'file',
      address: readAddress,
      // Branches have no capital, which is written as 0.
      capital: groupWith(['amount'], {
        amount: parsed((written) => (written === '0' ? undefined : readCount(written)), 'not an amount')('資本額'),
        currency: () => 'TWD',
      }),
      headOfficeNumber: text('總機構統一編號'),
      usesUniformInvoices: flag('使用統一發票', { Y: true, N: false }, 'neither Y nor N'),
    },
  });
}

export const tw = defineRegister({
  id: 'tw',
  tables: {
    BGMOPEN1: { map: describeFile('active') },
    BGMOPEN1X: { map: describeFile('inactive') },
    BGMOPEN1Y: { map: describeFile('dissolved') },
  },
  numbers: [{ kind: '統一編號', form: /^\d{8}$/, check: isValidNumber }],
});
