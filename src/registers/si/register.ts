/** Slovenia: the business register (PRS) of AJPES, with numbers and activities from the tax office's list of legal persons. */
import { composeAddress, EUROPEAN_STYLE, findCountryCode } from '../address.ts';
import { checkLastDigit } from '../check-digits.ts';
import { type Cell, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { compact, joinFilled } from '../parsing.ts';
import { describeRecord, otherNumber, ownNumber } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';

const [NUMBER, TAX_NUMBER] = ['Matična številka', 'Davčna številka'];
const [TAX_LIST, TAX_OFFICE] = ['DURS_zavezanci_PO', 'Finančna uprava RS'];
const { text, day, number, flag, group, joined } = tableFields();
const readTaxNumber = number(TAX_NUMBER, /^\d{8}$/, 'not a tax number');
const readVatNumber = (row: Cell) => (row('Zavezanost za DDV').trim() === '*' ? `SI${row(TAX_NUMBER).trim()}` : null);

/** The check digit is 11 less the remainder; 10 is written as 0. A number whose sum is a multiple of 11 is not issued. */
const findDigit = (sum: number) => (sum % 11 === 1 ? 0 : 11 - (sum % 11));
const isValidEntity = checkLastDigit([7, 6, 5, 4, 3, 2], findDigit);
export const isValidTaxNumber = checkLastDigit([8, 7, 6, 5, 4, 3, 2], findDigit);
/** The check digit is the seventh digit. The last three digits are the number of a part of the entity, or 000 for the entity itself. */
const isValidNumber = (written: string) => isValidEntity(written.slice(0, 7));
const writeNumber = (written: string) => (/^\d{7}$/.test(written) ? `${written}000` : written);

const mapEntity = describeRecord<Cell, unknown>({
  name: text('Popolno ime'),
  number: number(NUMBER, /^\d{7}000$/, 'not a registration number'),
  status: () => null,
  legalForm: group({ label: text('Pravnoorganizacijska oblika') }),
  registrations: [
    ownNumber('AJPES', isValidNumber),
    joined(TAX_LIST, otherNumber(TAX_OFFICE, 'tax', readTaxNumber, isValidTaxNumber)),
    joined(TAX_LIST, otherNumber(TAX_OFFICE, 'vat', readVatNumber)),
  ],
  activities: joined(TAX_LIST, (row) => {
    const code = row('Šifra dejavnosti').trim();
    return code === '' ? null : [{ type: 'unlicensed', code, label: null, scheme: 'SKD' }];
  }),
  registry: {
    registryOffice: text('Registrski organ'),
    address: readAddress,
    houseNumberId: text('HSEID'),
    vatRegistered: joined(TAX_LIST, flag('Zavezanost za DDV', { '*': true }, 'not *')),
    vatRegisteredAt: joined(TAX_LIST, day('Datum registracije za DDV')),
    limitedIdentification: joined(TAX_LIST, text('Omejen obseg identifikacije')),
    taxOffice: joined(TAX_LIST, text('Finančni urad')),
  },
});

const PART = { rejected: 'a part of an entity', expected: true } as const;
const isPart = (cell: Cell) => /^\d{7}(?!000)[\dA-Z]\d{2}$/.test(cell(NUMBER).trim());

const PLACE = ['Ulica', 'Hišna št', 'Hišna št  dodatek', 'Naselje', 'Poštna št', 'Pošta', 'Država'];

/** `Fazanska ulica 4, Lucija, 6320 Portorož - Portorose`. In a village without streets, its name precedes the house number. */
function readAddress(cell: Cell): AddressOf | null {
  const cells = PLACE.map((column) => cell(column).trim());
  const [street = '', house = '', suffix, city = '', postCode = '', postOffice = '', written = ''] = cells;
  const number = joinFilled([house.replace(/^0+(?=\d)/, ''), suffix], ' ');
  const countryCode = findCountryCode(written, 'sl');
  const country = countryCode === 'SI' ? null : written;
  const settlement = street === '' || postOffice.startsWith(city) ? null : city;
  const town = joinFilled([postCode, postOffice], ' ');
  const line = joinFilled([joinFilled([street || city, number], ' '), settlement, town, country], ', ');
  const parts = { text: line, street, city, postCode, number, country, countryCode };
  const address = composeAddress(parts, EUROPEAN_STYLE);
  return address && { ...address, ...compact({ postOffice }) };
}

export const si = defineRegister({
  id: 'si',
  tables: { opsiprs: { map: (cell, ...rest) => (isPart(cell) ? PART : mapEntity(cell, ...rest)) } },
  writeNumber,
  numbers: [{ kind: 'matična številka', form: /^\d{7}(?:000)?$/, write: writeNumber, check: isValidNumber }],
});
