import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCompanyTool } from '../../src/mcp/tools/get-company.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';
import { company } from '../registry/gb-file.ts';

test('get_company names owners and holdings, each owner with its row, and says if files are missing', async () => {
  await using service = await startService('sqlite');
  const holdings = Array.from({ length: 12 }, (_, index) => `Hold${String.fromCharCode(65 + index)}`);
  await importGleif(service, {
    'lei2.csv': writeCompanies([['Mid'], ['Par', 'FR'], ...holdings.map((name) => [name] as const)]),
  });
  await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  const ids = await readIds(service);
  const tool = createCompanyTool(service.services.registry);
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  const ask = async (id = ''): Promise<any> => tool.run({ id } as never, { accountId: 'a', deadline: 0 });
  assert.equal((await ask(ids.Mid)).data.ownership.coverage, 'not_imported');

  await importGleif(service, {
    'rr.csv': writeRelationships([
      { child: 'Mid', parent: 'Par' },
      { child: 'Mid', parent: 'Gone\u27e7' },
      ...holdings.map((child) => ({ child, parent: 'Mid' })),
    ]),
    'repex.csv': writeExceptions([['Par', 'NATURAL_PERSONS']]),
  });
  const { data, text } = await ask(ids.Mid);
  const { ownership } = data;
  assert.deepEqual(
    [ownership.total, ownership.parties.length, ownership.holdingTotal, ownership.holdings.length],
    [2, 2, 12, 10],
  );
  const parent = ownership.parties.find(({ id }: { id: string }) => id === ids.Par);
  assert.deepEqual(
    [parent.role, parent.name, parent.countryCode, parent.source.file],
    ['parent', 'Par', 'FR', 'rr.csv'],
  );
  assert.ok(text.includes(`parent: \u27e6Par\u27e7, id ${ids.Par}`), text);
  assert.match(text, /Holdings: 12, such as \u27e6Hold/);
  // A name cannot leave its quotes.
  assert.ok(!text.includes(lei('Gone\u27e7')));
  assert.match((await ask(ids.Par)).text, /parent: none named, persons\nHoldings: 1, such as \u27e6Mid\u27e7/);
  const first = async (country: string) =>
    (await service.client.get(`/api/v1/entities?country=${country}`)).body.data[0].id as string;
  assert.equal((await ask(await first('gb'))).data.ownership.coverage, 'not_imported');
  await importSynthetic(service, 'fi', 1);
  assert.equal((await ask(await first('fi'))).data.ownership, null);
});
