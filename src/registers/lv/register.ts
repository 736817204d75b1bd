/** Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities, dissolved ones included. */
import { type PlaceMarks, readPlaces, splitAddress } from '../address.ts';
import { checkSum } from '../check-digits.ts';
import { type Cell, defineRegister, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { compact, joinFilled } from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { type JointShares, PARTY_FILES, readJointShares } from './parties.ts';

const isValid = checkSum([9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1], 11, 3);

/** The check digit is known for eleven-digit numbers only. For other lengths the result is null. */
export function hasValidCheckDigit(number: string): boolean | null {
  return /^\d{11}$/.test(number) ? isValid(number) : null;
}

const { text, replaced, day, parsed, number, flag, legalForm, group } = tableFields();

const ENDINGS = readCodeLists('lv').labels('status');

const mapEntity = describeRecord<Cell, unknown>({
  name: text('name'),
  number: number('regcode', /^\d+$/, 'not a registration number'),
  registeredAt: day('registered'),
  endedAt: day('terminated'),
  status: readStatus,
  legalForm: legalForm('type', 'type_text'),
  // The second number is the identifier of the creditor of a SEPA direct debit.
  registrations: [ownNumber('Uzņēmumu reģistrs', hasValidCheckDigit), otherNumber('SEPA', 'other', text('sepa'))],
  registry: {
    status: ownStatus,
    endedAt: ownEnd,
    registerCode: text('regtype'),
    registerName: text('regtype_text'),
    nameParts: group({
      beforeQuotes: text('name_before_quotes'),
      inQuotes: text('name_in_quotes'),
      afterQuotes: text('name_after_quotes'),
    }),
    nameWithoutQuotes: flag('without_quotes', { 0: false, 1: true }, 'neither 0 nor 1'),
    address: readAddress,
    reregistrationTerm: day('reregistration_term'),
  },
});

/** Active rows have a single space in `closed`. Any letter means dissolved; a letter that is not known is reported. */
function readStatus(cell: Cell, context: MapContext<unknown>): State {
  const code = cell('closed').toUpperCase().trim();
  const label = ENDINGS.get(code) ?? null;
  if (code !== '' && label === null) context.reportUnknown('status', 'closed', code);
  const isDissolved = cell('terminated').trim() !== '' || /^\p{L}$/u.test(code);
  return { status: isDissolved ? 'dissolved' : code === '' ? 'active' : 'unknown', code, label };
}

/** `Rīga, Latgales iela 180` or `Talsu nov., Lībagu pag., "Ozoli"` (a farm). Addresses from before 2009 have districts (`rajons`). */
const MARKS: PlaceMarks = {
  municipality: / (?:nov\.|novads|raj\.|rajons)$/,
  district: / (?:pag\.|pagasts)$/,
  settlement: /^(?!.* (?:aleja|bulvāris|ceļš|dambis|gatve|iela|laukums|līnija|prospekts|šoseja|taka)\b)\p{Lu}\D*$/u,
};

/** In the columns that refer to the address register, `0` means that there is no code. */
const readCodes = group({
  addressCode: replaced('addressid', /^0$/),
  regionCode: replaced('region', /^0$/),
  cityCode: replaced('city', /^0$/),
  territoryCode: replaced('atvk', /^0$/),
});
/** `1019` → `LV-1019`. */
const readPostCode = parsed((written) => {
  const digits = /^(?:LV-)?(\d{4})$/.exec(written)?.[1];
  return written === '0' ? undefined : digits === undefined ? null : `LV-${digits}`;
}, 'not a postcode')('index');

/** An address has a text without the post code, the post code, and codes of the national address register. */
function readAddress(cell: Cell, context: MapContext<unknown>, common: Common): AddressOf | null {
  const written = cell('address').trim();
  const postCode = readPostCode(cell, context, common);
  const line = joinFilled([written, postCode], ', ');
  if (line === '') return null;
  const codes = readCodes(cell, context, common);
  const isInLatvia = postCode !== null || codes?.addressCode !== undefined;
  // The order of the places in an address abroad is not known.
  const { district, city, municipality } = readPlaces(isInLatvia ? splitAddress(written) : [], MARKS);
  return {
    text: line,
    // A farm outside of a village belongs to its parish.
    ...compact({ district, city: city ?? district, municipality, postCode }),
    ...(isInLatvia && { countryCode: 'LV' }),
    ...codes,
  };
}

export const lv = defineRegister<JointShares>({
  id: 'lv',
  tables: { register: { map: mapEntity }, ...PARTY_FILES },
  numbers: [{ kind: 'registration number', form: /^\d{11}$/, check: hasValidCheckDigit }],
  readCodes: readJointShares,
});
