/** Colorado: all entities of the Secretary of State, active and ended, published on the open data portal of the state. */
import { ENGLISH_STYLE } from '../address.ts';
import { type Cell, defineRegister, type EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { tableFields } from '../fields.ts';
import { findJurisdiction } from '../jurisdictions.ts';
import { readRecordParty } from '../mapped.ts';
import { readMonthFirst } from '../parsing.ts';
import { describeRecord, mapJson, ownEnd, ownNumber, ownStatus } from '../record.ts';

const { text, texts, replaced, monthFirst, number, group, code, status, concat, address, further } = tableFields();
const { labels, meanings } = readCodeLists('us-co');
const [NAME, JURISDICTION, AGENT] = ['entityname', 'jurisdictonofformation', 'agentorganizationname'];
const NUMBER = /^(?:18|19|20)\d{9}$/;

/** `6301 State Farm LLC, Delinquent May 1, 2022`: the day of the status is appended to many names. */
const SUFFIX = /, [A-Z][a-z]+(?: [(A-Z][a-z)]+)* ([A-Z][a-z]+) (\d{1,2}), (\d{4})$/;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

function readSuffix(cell: Cell) {
  const written = cell(NAME).trim();
  const [suffix = '', month = '', day, year] = SUFFIX.exec(written) ?? [];
  const since = readMonthFirst(`${MONTHS.indexOf(month) + 1}/${day}/${year}`);
  return since === null ? { name: written, since } : { name: written.slice(0, -suffix.length), since };
}

const readStatus = status('entitystatus', meanings<EntityStatus>('status'));
const readAgent = concat(' ', 'agentfirstname', 'agentmiddlename', 'agentlastname', 'agentsuffix');

const place = (prefix: string) =>
  address(
    group({
      lines: texts(`${prefix}address1`, `${prefix}address2`),
      city: text(`${prefix}city`),
      region: text(`${prefix}state`),
      postCode: text(`${prefix}zipcode`),
      country: replaced(`${prefix}country`, /^US$/),
      countryCode: (cell) => /^[A-Z]{2}$/.exec(cell(`${prefix}country`).trim())?.[0] ?? null,
    }),
    ENGLISH_STYLE,
  );

const mapEntity = describeRecord<Cell, unknown>({
  name: (cell) => readSuffix(cell).name || null,
  number: number('entityid', NUMBER, 'not an entity ID'),
  registeredAt: monthFirst('entityformdate'),
  endedAt: (cell) => (/Dissolved/.test(cell('entitystatus')) ? readSuffix(cell).since : null),
  status: (...row) => ({ status: 'unknown', ...readStatus(...row), since: readSuffix(row[0]).since }),
  legalForm: code('entitytype', labels('form'), 'legalForm'),
  registrations: [ownNumber('Colorado Secretary of State')],
  registry: {
    status: ownStatus,
    jurisdiction: (cell) => findJurisdiction(cell(JURISDICTION).trim(), 'US'),
    formedIn: text(JURISDICTION),
    endedAt: ownEnd,
    address: place('principal'),
    addresses: further('postal', place('mailing')),
    legalFormText: text('entitytypeverbatim'),
    parties(cell, context, common) {
      const organisation = cell(AGENT).trim();
      const name = organisation || readAgent(cell, context, common);
      if (!name || name === common.name) return null;
      return [{ role: 'other', roleLabel: 'Registered Agent', kind: organisation ? 'organisation' : 'person', name }];
    },
  },
});

export const usCo = defineRegister({
  id: 'us-co',
  tables: { entities: { isOrganisation: (row) => row(AGENT).trim() !== '', map: mapEntity } },
  trees: { 'entities (JSON)': { map: mapJson(mapEntity) } },
  recordParties: (party) => readRecordParty(party),
  numbers: [{ kind: 'entity ID', form: NUMBER }],
});
