/** New York: active corporations and other entities, published by the Department of State on the open data portal of the state. */
import { fold } from '../../base/fold.ts';
import { ENGLISH_STYLE } from '../address.ts';
import { type Cell, defineRegister } from '../contract.ts';
import { tableFields } from '../fields.ts';
import { findJurisdiction } from '../jurisdictions.ts';
import { readRecordParty } from '../mapped.ts';
import { describeRecord, ownNumber } from '../record.ts';
import type { PartyOf, TypedAddressOf } from '../vocabulary.ts';

const { text, texts, monthFirst, number, group, address } = tableFields();

/** The parts of an address are five columns. The state is a word in old rows and two letters in new rows. */
const place = (prefix: string) =>
  address(
    group({
      lines: texts(`${prefix} Address 1`, `${prefix} Address 2`),
      city: text(`${prefix} City`),
      region: text(`${prefix} State`),
      postCode: text(`${prefix} Zip`),
    }),
    ENGLISH_STYLE,
  );

const PROCESS = 'DOS Process';
const readProcess = place(PROCESS);
const PARTIES = [
  ['CEO', 'director'],
  [PROCESS, 'other'],
  ['Registered Agent', 'other'],
] as const;

const mapEntity = describeRecord<Cell, unknown>({
  name: text('Current Entity Name'),
  number: number('DOS ID', /^[1-9]\d{0,8}$/, 'not a DOS ID'),
  registeredAt: monthFirst('Initial DOS Filing Date'),
  status: () => ({ status: 'active' }),
  legalForm: group({ label: text('Entity Type') }),
  registrations: [ownNumber('New York Department of State')],
  registry: {
    statusInferredFrom: () => 'file',
    jurisdiction: (cell) => findJurisdiction(cell('Jurisdiction').trim(), 'US'),
    formedIn: text('Jurisdiction'),
    county: text('County'),
    address: place('Location'),
    locationName: text('Location Name'),
    // Where process is served is often a lawyer or an agent, and not the company.
    addresses(cell, context, common): readonly TypedAddressOf[] | null {
      const found = cell(`${PROCESS} Name`).trim() === common.name ? readProcess(cell, context, common) : null;
      return found && [{ type: 'postal', ...found }];
    },
    parties: (cell, _context, common) =>
      PARTIES.flatMap(([roleLabel, role]): PartyOf[] => {
        const name = cell(`${roleLabel} Name`).trim();
        return name === '' || name === common.name ? [] : [{ role, roleLabel, name }];
      }),
  },
});

const writeHeader = (header: string) => fold(header).replaceAll('_', ' ');

export const usNy = defineRegister({
  id: 'us-ny',
  tables: {
    // The export has titles, the API has names: `CEO Name`, `chairman_name`.
    entities: { match: (header) => writeHeader(header).replace(/^chairman /, 'ceo '), map: mapEntity },
    'other tables of the department': { match: writeHeader },
  },
  recordParties: (party) => readRecordParty(party),
  numbers: [{ kind: 'DOS ID', form: /^[1-9]\d{0,8}$/ }],
});
