/** Latvia: the Register of Enterprises (Uzņēmumu reģistrs), all legal entities, dissolved ones included. */
import { type PlaceMarks, readPlaces, splitAddress } from '../address.ts';
import { checkSum } from '../check-digits.ts';
import { type Cell, CSV, defineRegister, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, type State, tableFields } from '../fields.ts';
import { compact, joinFilled } from '../parsing.ts';
import { describeRecord, otherNumber, ownEnd, ownNumber, ownStatus } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';
import { JOINT_REQUIRED, type JointShares, PARTY_SOURCES, readJointShares } from './parties.ts';

const isValid = checkSum([9, 1, 4, 8, 3, 10, 2, 5, 7, 6, 1], 11, 3);

/** The check digit is known for eleven-digit numbers only. For other lengths the result is null. */
export function hasValidCheckDigit(number: string): boolean | null {
  return /^\d{11}$/.test(number) ? isValid(number) : null;
}

const { text, day, number, flag, legalForm, group } = tableFields();

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

const readCodes = group({
  addressCode: readCode('addressid'),
  regionCode: readCode('region'),
  cityCode: readCode('city'),
  territoryCode: readCode('atvk'),
});

/** An address has a text without the post code, the post code, and codes of the national address register. */
function readAddress(cell: Cell, context: MapContext<unknown>, common: Common): AddressOf | null {
  const written = cell('address').trim();
  const postCode = readPostCode(cell, context);
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

/** `1019` → `LV-1019`. */
function readPostCode(cell: Cell, context: MapContext<unknown>): string | null {
  const written = readCode('index')(cell);
  const digits = /^(?:LV-)?(\d{4})$/.exec(written ?? '')?.[1];
  if (written !== null && digits === undefined) context.report('index', written, 'not a postcode');
  return digits === undefined ? null : `LV-${digits}`;
}

/** In the columns that refer to the address register, `0` means that there is no code. */
function readCode(column: string) {
  return (cell: Cell) => {
    const code = cell(column).trim();
    return code === '' || code === '0' ? null : code;
  };
}

const DOWNLOAD = 'https://dati.ur.gov.lv';
const STOCKHOLDERS = 'https://data.gov.lv/dati/dataset/8a66567b-3583-4aa0-841b-eb13f025cd78/resource';

const JOINT_OWNERS =
  'this file names the owners of joint shares, and only its name says of which file. Name it members_joint_owners.csv or ' +
  'stockholders_joint_owners.csv';

export const lv = defineRegister<JointShares>({
  id: 'lv',
  name: 'Register of Enterprises of the Republic of Latvia',
  nativeName: 'Uzņēmumu reģistrs',
  publisher: 'Latvijas Republikas Uzņēmumu reģistrs',
  licence: 'CC0 1.0',
  attribution: 'CC0 1.0: none is required',
  sourceUrl: 'https://data.gov.lv/dati/lv/dataset/uz',
  companyPage: 'https://info.ur.gov.lv/#/legal-entity/{number}',
  updates: 'daily',
  fetch: {
    kind: 'fixed',
    files: [
      { url: `${DOWNLOAD}/register/register.csv` },
      { url: `${DOWNLOAD}/officers/officers.csv`, parties: 'officers' },
      { url: `${DOWNLOAD}/members/members.csv`, parties: 'members' },
      { url: `${DOWNLOAD}/members/members_joint_owners.csv`, parties: 'members' },
      {
        url: `${STOCKHOLDERS}/6adabd83-93f9-4d7f-bebd-fa109bbf794a/download/stockholders.csv`,
        parties: 'stockholders',
      },
      {
        url: `${STOCKHOLDERS}/55370dca-6765-4566-b2cc-42537782f750/download/stockholders_joint_owners.csv`,
        parties: 'stockholders',
      },
      { url: `${DOWNLOAD}/beneficial_owners/beneficial_owners.csv`, parties: 'beneficial_owners' },
    ],
    size: { min: 90_000_000, max: 900_000_000, minWithoutParties: 60_000_000 },
    readIn: 'opensanctions/opensanctions, datasets/lv/business_register',
  },
  files: [
    ...['register.csv', 'officers.csv', 'members.csv', 'members_joint_owners.csv', 'stockholders.csv'],
    ...['stockholders_joint_owners.csv', 'beneficial_owners.csv'],
  ],
  minimumRows: 388_000,
  vatNumber: /^LV(\d{11})$/,
  numberColumns: ['regcode'],
  letters: /[āčēģīķļņōŗšūž]/iu,
  sources: [
    {
      name: 'register',
      csv: { ...CSV, delimiter: ';' },
      required: ['regcode', 'name', 'regtype', 'type_text', 'registered', 'terminated', 'closed'],
      map: mapEntity,
    },
    ...PARTY_SOURCES,
    {
      name: 'joint owners',
      csv: { ...CSV, delimiter: ';' },
      required: JOINT_REQUIRED,
      match: 'folded',
      refusal: JOINT_OWNERS,
    },
  ],
  numbers: [{ kind: 'registration number', form: /^\d{11}$/, check: hasValidCheckDigit }],
  readCodes: readJointShares,
});
