import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

const SIC = ['SICCode.SicText_1', 'SICCode.SicText_2'] as const;
const COMPANIES = [
  company('00000001', 'A', { [SIC[0]]: '62012 - Software', [SIC[1]]: '62020 - Consultancy' }),
  company('00000002', 'B', { [SIC[0]]: '62012 - Software' }),
  company('00000003', 'C', { [SIC[0]]: '99999 - Dormant company' }),
  company('00000004', 'D', { [SIC[0]]: '01110 - Cereals', [SIC[1]]: '62012 - Software' }),
];

const SETUPS = [
  ...usualEngines.map((engine) => ({ engine, env: {} })),
  { engine: 'postgres', env: { SEARCH_ENGINE: 'postgres' } },
] as const;

for (const { engine, env } of SETUPS) {
  test(`industries on ${engine}${'SEARCH_ENGINE' in env ? ', searched there' : ''}`, async () => {
    await using service = await startService(engine, { env });
    await importCompanies(service, COMPANIES);
    const find = async (isic: string) => {
      const { status, body } = await service.client.get(`/api/v1/entities?isic=${isic}`);
      assert.equal(status, 200);
      return body.data.map(({ canonicalName }: { canonicalName: string }) => canonicalName).join('');
    };
    assert.equal(await find('J'), 'ABD');
    assert.equal(await find('j,01'), 'ABD');
    assert.equal(await find('6202'), 'A');
    assert.equal(await find('011'), 'D');
    assert.equal(await find('99'), '');
    for (const invalid of ['', 'X', '6', '62012', '62,', 'software']) {
      assert.equal((await service.client.get(`/api/v1/entities?isic=${invalid}`)).status, 400, invalid);
    }

    const { body: page } = await service.client.get('/api/v1/entities');
    const [a, , c, d] = page.data;
    assert.deepEqual([a.isic, c.isic, d.isic], ['6201', null, '0111']);
    const { body: record } = await service.client.get(`/api/v1/entities/${c.id}`);
    assert.equal(record.data.isic, null);
    assert.match(record.data.registry.activities[0].isicNote, /dormant/);
    const { body: other } = await service.client.get(`/api/v1/entities/${a.id}`);
    assert.equal(other.data.isic, '6201');
    assert.equal(other.data.registry.activities[1].isic.class, '6202');
    assert.equal(other.data.registry.activities[1].nace.class, '62.02');

    let data: { code: string; level: string; parent: string | null; label: string; entities: number }[] = [];
    await until('the companies are counted', async () => {
      const reply = await service.client.get('/api/v1/classifications/isic');
      assert.equal(reply.status, 200);
      data = reply.body.data;
      return data.some(({ entities }) => entities > 0);
    });
    assert.equal(data.length, 766);
    const label = 'Computer programming activities';
    assert.deepEqual(
      data.find(({ code }) => code === '6201'),
      { code: '6201', level: 'class', parent: '620', label, entities: 3 },
    );
    const counted = data.filter(({ entities }) => entities > 0).map(({ code, entities }) => `${code}:${entities}`);
    assert.equal(counted.join(' '), 'A:1 01:1 011:1 0111:1 J:3 62:3 620:3 6201:3 6202:1');
    assert.equal((await service.client.get('/api/v1/classifications/isic?x=1')).status, 400);
  });
}
