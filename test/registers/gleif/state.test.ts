import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, MappedRecord, TableSource, TreeSource } from '../../../src/registers/contract.ts';
import { gleif } from '../../../src/registers/gleif/register.ts';

const [xml, , json, csv] = gleif.sources as [
  TreeSource<unknown>,
  TreeSource<unknown>,
  TreeSource<unknown>,
  TableSource<unknown>,
];
const context = { codes: gleif.readCodes(new Map()), report: assert.fail, reportUnknown: assert.fail };

function mapXml(entity: { [key: string]: Json }): MappedRecord {
  const base = { 'lei:LegalName': 'A', 'lei:LegalJurisdiction': 'GB', 'lei:EntityStatus': 'INACTIVE' };
  const record = { 'lei:LEI': '001GPB6A9XPE8XJICC14', 'lei:Entity': { ...base, ...entity }, 'lei:Registration': {} };
  return xml.map(record, context) as MappedRecord;
}

function mapCsv(fields: Readonly<Record<string, string>>): MappedRecord {
  const row: Readonly<Record<string, string>> = {
    LEI: '001GPB6A9XPE8XJICC14',
    'Entity.LegalName': 'A',
    'Entity.LegalJurisdiction': 'GB',
    'Entity.EntityStatus': 'INACTIVE',
    ...fields,
  };
  for (const column of Object.keys(row)) assert.ok(csv.columns.includes(column), `the register knows ${column}`);
  return csv.map?.((column) => row[column] ?? '', context) as MappedRecord;
}

const event = (type: string, status: string): Json => ({
  '@group_type': 'STANDALONE',
  '@event_status': status,
  'lei:LegalEntityEventType': type,
  'lei:LegalEntityEventEffectiveDate': '2018-11-09T00:00:00.000Z',
  'lei:LegalEntityEventRecordedDate': '2022-03-24T19:41:39.000Z',
});
const withEvents = (...events: Json[]) => ({ 'lei:LegalEntityEvents': { 'lei:LegalEntityEvent': events } });

test('an inactive company with a completed dissolution is dissolved', () => {
  const { status, registry } = mapXml(
    withEvents(event('CHANGE_LEGAL_NAME', 'COMPLETED'), event('DISSOLUTION', 'COMPLETED')),
  );
  assert.equal(status, 'dissolved');
  assert.equal(registry.statusInferredFrom, 'DISSOLUTION');
  assert.equal(registry.endedAt, '2018-11-09');
  assert.deepEqual(registry.events, [
    { type: 'CHANGE_LEGAL_NAME', status: 'COMPLETED', effectiveAt: '2018-11-09', recordedAt: '2022-03-24' },
    { type: 'DISSOLUTION', status: 'COMPLETED', effectiveAt: '2018-11-09', recordedAt: '2022-03-24' },
  ]);
  assert.equal(mapXml({ 'lei:EntityExpirationReason': 'DISSOLVED' }).status, 'dissolved');
});

test('an inactive company with another event is inactive, and an active one is active', () => {
  assert.equal(mapXml({}).status, 'inactive');
  assert.equal(mapXml(withEvents(event('DISSOLUTION', 'IN_PROGRESS'))).status, 'inactive');
  assert.equal(mapXml(withEvents(event('CHANGE_LEGAL_NAME', 'COMPLETED'))).status, 'inactive');
  assert.equal(mapXml(withEvents(event('ABSORPTION', 'COMPLETED'))).status, 'inactive');
  const active = { 'lei:EntityStatus': 'ACTIVE', ...withEvents(event('DISSOLUTION', 'COMPLETED')) };
  assert.equal(mapXml(active).status, 'active');
});

test('a legal event in progress shows that an active company is being wound up or insolvent', () => {
  const read = (...events: Json[]) => {
    const { status, registry } = mapXml({ 'lei:EntityStatus': 'ACTIVE', ...withEvents(...events) });
    return [status, registry.statusInferredFrom, registry.endedAt];
  };
  assert.deepEqual(read(event('LIQUIDATION', 'IN_PROGRESS')), ['in_liquidation', 'LIQUIDATION', undefined]);
  assert.deepEqual(read(event('INSOLVENCY', 'IN_PROGRESS')), ['insolvent', 'INSOLVENCY', undefined]);
  assert.deepEqual(
    read(event('LIQUIDATION', 'IN_PROGRESS'), event('BANKRUPTCY', 'IN_PROGRESS')),
    ['insolvent', 'BANKRUPTCY', undefined],
    'the more serious one counts',
  );
  assert.deepEqual(read(event('BANKRUPTCY', 'WITHDRAWN_CANCELLED')), ['active', undefined, undefined]);
  const csv = {
    'Entity.EntityStatus': 'ACTIVE',
    'Entity.LegalEntityEvents.LegalEntityEvent.2.LegalEntityEventType': 'VOLUNTARY_ARRANGEMENT',
    'Entity.LegalEntityEvents.LegalEntityEvent.2.event_status': 'IN_PROGRESS',
  };
  assert.equal(mapCsv(csv).status, 'insolvent');
});

test('an inactive company has ended if its bankruptcy or liquidation is completed', () => {
  for (const type of ['BANKRUPTCY', 'LIQUIDATION']) {
    const { status, registry } = mapXml(withEvents(event(type, 'COMPLETED')));
    assert.deepEqual([status, registry.statusInferredFrom, registry.endedAt], ['dissolved', type, '2018-11-09']);
  }
});

test('an inactive company that merged into its successors is dissolved, and all successors are listed', () => {
  const successors = [
    { 'lei:SuccessorLEI': '004L5FPTUREIWK9T2N63' },
    { 'lei:SuccessorEntityName': { '@xml:lang': 'en', '#text': 'Second Ltd' } },
    { 'lei:SuccessorEntityName': 'Third Ltd' },
  ];
  const expected = [{ number: '004L5FPTUREIWK9T2N63' }, { name: 'Second Ltd' }, { name: 'Third Ltd' }];
  const { status, registry } = mapXml({
    'lei:SuccessorEntity': successors,
    ...withEvents(event('MERGERS_AND_ACQUISITIONS', 'COMPLETED')),
  });
  assert.deepEqual([status, registry.successors], ['dissolved', expected]);
  const single = mapXml({ 'lei:SuccessorEntity': successors[0] as Json });
  assert.deepEqual([single.status, single.registry.successors], ['inactive', expected.slice(0, 1)]);
});

test('the CSV numbers successors, events and addresses', () => {
  const { status, registry } = mapCsv({
    'Entity.SuccessorEntity.1.SuccessorLEI': '004L5FPTUREIWK9T2N63',
    'Entity.SuccessorEntity.1.SuccessorEntityName': 'First Ltd',
    'Entity.SuccessorEntity.2.SuccessorEntityName': 'Second Ltd',
    'Entity.SuccessorEntity.5.SuccessorLEI': 'EVK05KS7XY1DEII3R011',
    'Entity.LegalEntityEvents.LegalEntityEvent.1.LegalEntityEventType': 'DISSOLUTION',
    'Entity.LegalEntityEvents.LegalEntityEvent.1.event_status': 'COMPLETED',
    'Entity.LegalEntityEvents.LegalEntityEvent.1.LegalEntityEventEffectiveDate': '2018-11-09T00:00:00.000Z',
    'Entity.LegalEntityEvents.LegalEntityEvent.1.LegalEntityEventRecordedDate': '2022-03-24T19:41:39.000Z',
    'Entity.OtherAddresses.OtherAddress.1.type': 'ALTERNATIVE_LANGUAGE_LEGAL_ADDRESS',
    'Entity.OtherAddresses.OtherAddress.1.xmllang': 'fr',
    'Entity.OtherAddresses.OtherAddress.1.FirstAddressLine': '1 rue Haute',
    'Entity.OtherAddresses.OtherAddress.1.City': 'Genève',
    'Entity.OtherAddresses.OtherAddress.1.PostalCode': '1201',
    'Entity.OtherAddresses.OtherAddress.1.Country': 'CH',
    ConformityFlag: 'CONFORMING',
  });
  assert.equal(status, 'dissolved');
  assert.deepEqual(registry.successors, [
    { number: '004L5FPTUREIWK9T2N63', name: 'First Ltd' },
    { name: 'Second Ltd' },
    { number: 'EVK05KS7XY1DEII3R011' },
  ]);
  assert.equal((registry.events as Json[]).length, 1);
  assert.deepEqual(registry.addresses, [
    {
      type: 'other',
      text: '1 rue Haute, 1201 Genève, Switzerland',
      lines: ['1 rue Haute'],
      city: 'Genève',
      postCode: '1201',
      countryCode: 'CH',
      language: 'fr',
      sourceType: 'ALTERNATIVE_LANGUAGE_LEGAL_ADDRESS',
    },
  ]);
});

test('the CSV of older files has one successor without a number', () => {
  const { registry } = mapCsv({ 'Entity.SuccessorEntity.SuccessorLEI': '004L5FPTUREIWK9T2N63' });
  assert.deepEqual(registry.successors, [{ number: '004L5FPTUREIWK9T2N63' }]);
});

test('JSON keeps texts in "$" and attributes in keys with "@"', () => {
  const text = (value: string) => ({ $: value });
  const record = json.map(
    {
      LEI: text('001GPB6A9XPE8XJICC14'),
      Entity: {
        LegalName: { '@xml:lang': 'en', $: 'Vega LP' },
        LegalJurisdiction: text('US-DE'),
        LegalAddress: {
          FirstAddressLine: text('2711 Road'),
          AdditionalAddressLine: [text('Suite 400')],
          City: text('Wilmington'),
          Region: text('US-DE'),
          Country: text('US'),
          PostalCode: text('19808'),
        },
        LegalForm: { EntityLegalFormCode: text('T91T') },
        EntityStatus: text('INACTIVE'),
        LegalEntityEvents: {
          LegalEntityEvent: [{ '@event_status': 'COMPLETED', LegalEntityEventType: text('DISSOLUTION') }],
        },
      },
      Registration: { RegistrationStatus: text('RETIRED') },
    },
    context,
  ) as MappedRecord;
  assert.deepEqual(
    [record.number, record.canonicalName, record.status],
    ['001GPB6A9XPE8XJICC14', 'Vega LP', 'dissolved'],
  );
  assert.deepEqual(record.legalForm, { code: 'T91T', label: 'Limited Partnership', scheme: 'ISO 20275' });
  assert.equal(record.registrations[0]?.status, 'RETIRED');
  assert.deepEqual(record.registry.address, {
    text: '2711 Road, Suite 400, Wilmington DE 19808, United States',
    lines: ['2711 Road', 'Suite 400'],
    city: 'Wilmington',
    postCode: '19808',
    region: 'US-DE',
    countryCode: 'US',
  });
});
