/** Iowa: active business entities, published by the Secretary of State on the data hub of the state. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE } from '../address.ts';
import { type Cell, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { readRecordParty } from '../mapped.ts';
import { describeRecord, ownNumber } from '../record.ts';

const { text, texts, replaced, countryCode, day, number, is, group, address } = tableFields();

const isDomestic = is('corporation_type', /\bDOMESTIC\b/i);

const mapEntity = describeRecord<Cell, unknown>({
  name: text('legal_name'),
  number: number('corp_number', /^[A-Z\d]{1,12}$/i, 'not a corporation number'),
  registeredAt: day('effective_date'),
  status: () => ({ status: 'active' }),
  legalForm: group({ label: text('corporation_type') }),
  registrations: [ownNumber('Iowa Secretary of State')],
  registry: {
    statusInferredFrom: () => 'file',
    jurisdiction: (...row) => (isDomestic(...row) ? 'US-IA' : null),
    homeOffice: text('home_office'),
    address: address(
      group({
        lines: texts('ho_address_1', 'ho_address_2'),
        city: text('ho_city'),
        region: text('ho_state'),
        postCode: text('ho_zip'),
        country: replaced('ho_country', /^USA$/),
        countryCode: countryCode('ho_country', 'en'),
        location: text('ho_location'),
      }),
      ENGLISH_STYLE,
    ),
    parties(cell, _context, common) {
      const name = cell('registered_agent').trim();
      return name === '' || name === common.name ? null : [{ role: 'other', roleLabel: 'Registered Agent', name }];
    },
  },
});

/** The export of 2017 had titles: `RA Address 1`. */
const writeHeader = (header: string) => fold(header).replaceAll(' ', '_');

export const usIa = defineRegister({
  id: 'us-ia',
  tables: {
    entities: { match: writeHeader, map: mapEntity },
    'other tables of the Secretary of State': { match: writeHeader },
  },
  recordParties: (party) => readRecordParty(party),
  numbers: [{ kind: 'corporation number', form: /^\d{6}$/ }],
});
