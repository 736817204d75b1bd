import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';

const form = (number: string, name: string, CompanyCategory: string) => company(number, name, { CompanyCategory });
const COMPANIES = [
  form('00000001', 'A', 'Private Limited Company'),
  form('00000002', 'B', 'Public Limited Company'),
  form('00000003', 'C', 'Limited Liability Partnership'),
  form('00000004', 'D', 'PRI/LTD BY GUAR/NSC (Private, limited by guarantee, no share capital)'),
  form('00000005', 'E', 'Some new form'),
  form('00000006', 'F', ''),
  form('00000007', 'G', 'Private Unlimited Company'),
];

const SETUPS = [
  ...usualEngines.map((engine) => ({ engine, env: {} })),
  { engine: 'postgres', env: { SEARCH_ENGINE: 'postgres' } },
] as const;

for (const { engine, env } of SETUPS) {
  test(`ELF codes and classes on ${engine}${'SEARCH_ENGINE' in env ? ', searched there' : ''}`, async () => {
    await using service = await startService(engine, { env });
    await importCompanies(service, COMPANIES);
    const find = async (filter: string) => {
      const { status, body } = await service.client.get(`/api/v1/entities?${filter}`);
      assert.equal(status, 200, filter);
      return body.data.map(({ canonicalName }: { canonicalName: string }) => canonicalName).join('');
    };
    assert.equal(await find('elf=H0PO'), 'A');
    assert.equal(await find('elf=h0po,B6ES'), 'AB');
    assert.equal(await find('elf=4GJI'), 'D');
    assert.equal(await find('elf=57V7'), '', 'a code that was found by meaning and not confirmed');
    assert.equal(await find('elf=XXXX'), '');
    assert.equal(await find('legalFormClass=limited_company'), 'AD');
    assert.equal(await find('legalFormClass=limited_company,partnership&country=gb'), 'ACD');
    assert.equal(await find('legalFormClass=limited_company&elf=H0PO'), 'A');
    assert.equal(await find('legalFormClass=limited_company&register=no'), '');
    for (const invalid of [
      'elf=',
      'elf=H0P',
      'elf=H0PO,',
      'legalFormClass=',
      'legalFormClass=llc',
      'legalFormClass=other,',
    ]) {
      assert.equal((await service.client.get(`/api/v1/entities?${invalid}`)).status, 400, invalid);
    }

    const { body: page } = await service.client.get('/api/v1/entities');
    const shown = page.data.map((one: Record<string, unknown>) => [one.elf, one.legalFormClass]);
    assert.deepEqual(shown, [
      ['H0PO', 'limited_company'],
      ['B6ES', 'public_company'],
      ['Z0EY', 'partnership'],
      ['4GJI', 'limited_company'],
      [null, null],
      [null, null],
      [null, 'other'],
    ]);
    const readForm = async (at: number) => {
      const { body } = await service.client.get(`/api/v1/entities/${page.data[at].id}`);
      assert.deepEqual([body.data.elf, body.data.legalFormClass], shown[at], 'as in a result');
      return body.data.registry.legalForm;
    };
    const elf = { code: 'H0PO', name: 'Private Limited Company', source: 'register', trust: 'exact' };
    assert.deepEqual(await readForm(0), { elf, label: 'Private Limited Company' });
    assert.deepEqual(await readForm(4), { label: 'Some new form' });
    assert.equal(await readForm(5), undefined);

    let data: { code: string; countryCode: string; entities: number }[] = [];
    await until('the companies are counted', async () => {
      const reply = await service.client.get('/api/v1/classifications/elf?country=gb');
      assert.equal(reply.status, 200);
      data = reply.body.data;
      return data.some(({ entities }) => entities > 0);
    });
    assert.deepEqual(
      data.find(({ code }) => code === 'H0PO'),
      { code: 'H0PO', countryCode: 'GB', name: elf.name, legalFormClass: 'limited_company', entities: 1 },
    );
    const counted = data.filter(({ entities }) => entities > 0).map(({ code, entities }) => `${code}:${entities}`);
    assert.equal(counted.join(' '), '4GJI:1 B6ES:1 H0PO:1 Z0EY:1');
    assert.ok(data.every(({ countryCode }) => countryCode === 'GB'));
    const { body: all } = await service.client.get('/api/v1/classifications/elf');
    assert.ok(all.meta.count > 3_000 && all.data.some((one: { countryCode: string }) => one.countryCode === 'NO'));
    assert.equal((await service.client.get('/api/v1/classifications/elf?country=gbr')).status, 400);
    assert.equal((await service.client.get('/api/v1/classifications/elf?x=1')).status, 400);
  });
}
