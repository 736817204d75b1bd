import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gleif } from '../../../src/registers/gleif/register.ts';
import { importTexts } from '../../harness/register-files.ts';

const RR = 'xmlns:rr="http://www.gleif.org/data/schema/rr/2016"';
const REPEX = 'xmlns:repex="http://www.gleif.org/data/schema/repex/2016"';
const CASES = [
  [
    'rr.xml',
    `<rr:RelationshipData ${RR}><rr:RelationshipRecords><rr:RelationshipRecord><rr:Relationship><rr:StartNode/></rr:Relationship></rr:RelationshipRecord></rr:RelationshipRecords></rr:RelationshipData>`,
    /relationships \(RR\).*Level 1 file \(LEI2\)/,
  ],
  [
    'repex.xml',
    `<repex:ReportingExceptionData ${REPEX}><repex:Exception><repex:LEI>1</repex:LEI><repex:ExceptionCategory>X</repex:ExceptionCategory></repex:Exception></repex:ReportingExceptionData>`,
    /reporting exceptions \(REPEX\).*Level 1 file \(LEI2\)/,
  ],
  ['rr.csv', 'Relationship.StartNode.NodeID,Relationship.EndNode.NodeID\nA,B\n', /relationships \(RR\)/],
  ['repex.csv', 'LEI,Exception.Category,Exception.Reason.1\nA,B,C\n', /reporting exceptions \(REPEX\)/],
  ['rr.json', '{"relations":[{"RelationshipRecord":{"Relationship":{}}}]}', /relationships \(RR\)/],
  ['repex.json', '{"exceptions":[{"LEI":{"$":"A"},"ExceptionCategory":{"$":"B"}}]}', /reporting exceptions \(REPEX\)/],
  ['api.json', '{"data":[{"type":"lei-records","id":"A","attributes":{"lei":"A"}}]}', /answer of the GLEIF API/],
] as const;

test('files without entities are refused by name', async () => {
  for (const [name, text, message] of CASES) {
    await assert.rejects(importTexts(gleif, { [name]: text }), { message }, name);
  }
});

test('the golden copy in JSON and a delta in CSV are imported', async () => {
  const record = {
    LEI: { $: '001GPB6A9XPE8XJICC14' },
    Entity: {
      LegalName: { $: 'Vega LP' },
      LegalJurisdiction: { $: 'US-DE' },
      EntityStatus: { $: 'ACTIVE' },
    },
    Registration: {},
  };
  const json = await importTexts(gleif, { 'lei2-golden-copy.json': JSON.stringify({ records: [record] }) });
  assert.deepEqual([json.result.counts.added, json.entities[0]?.canonicalName], [1, 'Vega LP']);
  const delta =
    'LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus\n001GPB6A9XPE8XJICC14,Vega LP,US-DE,ACTIVE\n';
  const csv = await importTexts(gleif, { 'lei2-last-day.csv': delta });
  assert.deepEqual([csv.result.counts.added, csv.entities[0]?.canonicalName], [1, 'Vega LP']);
});
