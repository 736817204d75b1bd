import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { PartyModes } from '../../../src/core/party-modes.ts';
import { md } from '../../../src/registers/md/register.ts';
import { writeSynthetic } from '../../../synthetic/writers/write.ts';
import { importTexts, ORGANISATIONS } from '../../harness/register-files.ts';
import { LAYOUT_2017, LAYOUT_2026, map2026, OWNERS } from './fixture.ts';

type Rows = readonly (readonly (string | number | null)[])[];

async function importWorkbook(sheets: Readonly<Record<string, Rows>>, parties?: PartyModes) {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-md-'));
  try {
    const content = { type: 'xlsx', sheets: Object.entries(sheets).map(([name, rows]) => ({ name, rows })) } as const;
    const path = await writeSynthetic(folder, { name: 'company.xlsx', packing: 'none', content });
    return await importTexts(md, { 'company.xlsx': readFileSync(path) }, parties);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Upper case, comma below instead of cedilla, and a line break instead of the first space. */
function rewrite(header: string): string {
  return header.replaceAll('ţ', 'ț').replaceAll('ş', 'ș').toUpperCase().replace(' ', '\n');
}

const COMPANY = { ...LAYOUT_2026, [OWNERS]: 'POPA ION (MD)', 'Genuri de activitate licentiate': '17' };

test('MD headers are recognized in other case, with other diacritics and with line breaks, on every sheet', async () => {
  const { result, entities } = await importWorkbook({
    Company: [['Title'], Object.keys(COMPANY).map(rewrite), Object.values(COMPANY)],
    Nelicentiate: [
      ['id', 'DENUMIRE', 'COD CAEM', 'VERSIUNEA CAEM'],
      [111, 'Cultivarea cerealelor', '0111', 2],
    ],
    Licentiate: [
      ['Id', 'denumire'],
      [17, 'Activitatea de turism'],
    ],
    Tara: [
      ['cod', 'DENUMIREA'],
      ['MD', 'Moldova'],
    ],
  });
  assert.deepEqual([result.counts.added, result.unknownColumns, result.problems], [1, [], []]);
  const [entity] = entities;
  assert.equal(entity?.registeredAt, '1993-05-27');
  assert.equal(entity?.registry.cuatm, '120');
  assert.deepEqual(
    entity?.registry.activities.map(({ code, label }: Record<string, string>) => [code, label]),
    [
      ['0111', 'Cultivarea cerealelor'],
      ['17', 'Activitatea de turism'],
    ],
  );
  assert.deepEqual(
    entity?.registry.parties.map(({ role, country }: Record<string, string>) => [role, country]),
    [
      ['director', undefined],
      ['founder', undefined],
      ['beneficial_owner', 'Moldova'],
    ],
  );
});

test('MD refuses the register of non-commercial organisations, whatever the case of its headers', async () => {
  const header = ['idno', 'DATA ÎNREG.', 'forma juridică', 'DENUMIREA', 'CUATM', 'Adresa'];
  await assert.rejects(
    importWorkbook({ organizations: [header, ['1099600123450', '34116', 'Asociație', 'PLAI', '120', 'Orhei']] }),
    /non-commercial organisations/,
  );
});

test('MD reports an id that is not in a code sheet once per company', () => {
  const { reports } = map2026({ 'Genuri de activitate nelicentiate': '9999, 111, 9999' });
  assert.deepEqual(reports, [['activity', 'Genuri de activitate nelicentiate', '9999']]);
});

test('MD where persons are left out, a founder that is a public body is kept, in the cell too', async () => {
  const FOUNDERS = 'Lista fondatorilor';
  const hidden = 'withheld: natural persons';
  const body = { role: 'founder', kind: 'organisation' };
  for (const [text, cell, parties] of [
    [' Consiliul Orăşenesc Lunca ', ' Consiliul Orăşenesc Lunca ', [{ ...body, name: 'Consiliul Orăşenesc Lunca' }]],
    ['Primăria Lunca (100,00%)', 'Primăria Lunca (100,00%)', [{ ...body, name: 'Primăria Lunca', share: 100 }]],
    ['Consiliul Lunca, POPA ION', hidden, [{ ...body, name: 'Consiliul Lunca' }]],
    ['Consiliul Lunca prin POPA ION', hidden, undefined],
    ['POPA ION', hidden, undefined],
  ] as const) {
    const row = { ...LAYOUT_2017, [FOUNDERS]: text };
    const { entities } = await importWorkbook({ Company: [Object.keys(row), Object.values(row)] }, ORGANISATIONS);
    assert.equal(entities[0]?.sourceData[FOUNDERS], cell, text);
    assert.deepEqual(entities[0]?.registry.parties, parties, text);
  }
});
