/** Oregon: active businesses of the Secretary of State, with a row for each name and address of a business. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE } from '../address.ts';
import { type Cell, defineRegister } from '../contract.ts';
import { type Common, type Field, tableFields } from '../fields.ts';
import { findJurisdiction } from '../jurisdictions.ts';
import { linkByNumber, readRecordParty } from '../mapped.ts';
import { compact } from '../parsing.ts';
import { describeRecord, ownNumber } from '../record.ts';
import type { PartyOf } from '../vocabulary.ts';

const [ENTITIES, NUMBER, FORM, KIND] = ['entities', 'registry_number', 'entity_type', 'associated_name_type'];
const DIGITS = /^[1-9]\d{0,9}$/;
const { text, texts, replaced, monthFirst, number, group, first, concat, address, further } = tableFields();

const listRows = (cell: Cell, { rows }: Common) => [cell, ...rows(ENTITIES)];
/** The field of the first row whose kind is `kind`. */
const of =
  <Value>(kind: string, field: Field<Cell, unknown, Value>): Field<Cell, unknown, Value> =>
  (cell, context, common) => {
    const row = listRows(cell, common).find((one) => one(KIND).trim() === kind);
    return row === undefined ? null : field(row, context, common);
  };

/** Post codes have lost their leading zeros. */
const readPlace = address(
  group({
    lines: texts('address', 'address_continued'),
    city: text('city'),
    region: text('state'),
    postCode: replaced('zip', /^\d{3,4}$/, (written) => written.padStart(5, '0')),
  }),
  ENGLISH_STYLE,
);

const readOrganisation = first(text('entity_of_record_name'), text('not_of_record_entity'));
const readPerson = concat(' ', 'first_name', 'middle_name', 'last_name', 'suffix');

const mapBusiness = describeRecord<Cell, unknown>({
  excluded: ['an assumed business name', (cell) => cell(FORM).trim() === 'ASSUMED BUSINESS NAME'],
  name: text('business_name'),
  number: number(NUMBER, DIGITS, 'not a registry number'),
  registeredAt: monthFirst('registry_date'),
  status: () => ({ status: 'active' }),
  legalForm: group({ label: text(FORM) }),
  registrations: [ownNumber('Oregon Secretary of State')],
  registry: {
    statusInferredFrom: () => 'file',
    jurisdiction: (cell) =>
      findJurisdiction(cell('jurisdiction').trim(), 'US') ?? (/^DOMESTIC /.test(cell(FORM)) ? 'US-OR' : null),
    address: of('PRINCIPAL PLACE OF BUSINESS', readPlace),
    addresses: further('postal', of('MAILING ADDRESS', readPlace)),
    parties: (cell, context, common) =>
      listRows(cell, common).flatMap((row): PartyOf[] => {
        const organisation = readOrganisation(row, context, common);
        const name = organisation ?? readPerson(row, context, common);
        if (name === null) return [];
        const kind = organisation === null ? 'person' : 'organisation';
        const found = compact({ number: row('entity_of_record_reg_number').trim() });
        return [{ role: 'other', roleLabel: row(KIND).trim() || 'Associated name', kind, name, ...found }];
      }),
  },
});

/** Older sets have `address_` and `zip_code`. */
const writeHeader = (header: string) =>
  fold(header)
    .replaceAll(' ', '_')
    .replace(/_$|(?<=^zip)_code$/, '');

export const usOr = defineRegister({
  id: 'us-or',
  tables: {
    [ENTITIES]: {
      match: writeHeader,
      gather: { choose: () => 0 },
      isOrganisation: (row) => `${row('first_name')}${row('last_name')}`.trim() === '',
      map: mapBusiness,
    },
    'other tables of the Secretary of State': { match: writeHeader },
  },
  recordParties: (party) => readRecordParty(party, linkByNumber(party, 'us-or', DIGITS)),
  numbers: [{ kind: 'registry number', form: /^[1-9]\d{4,8}$/ }],
});
