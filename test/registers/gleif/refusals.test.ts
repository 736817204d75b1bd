import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gleif } from '../../../src/registers/gleif/register.ts';
import { importTexts } from '../../harness/register-files.ts';

test('answers of the API are refused', async () => {
  const text = '{"data":[{"type":"lei-records","id":"A","attributes":{"lei":"A"}}]}';
  await assert.rejects(importTexts(gleif, { 'api.json': text }), { message: /answer of the GLEIF API/ });
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
