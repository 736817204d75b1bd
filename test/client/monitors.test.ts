import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient } from '../../clients/typescript/src/index.ts';
import { usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

for (const engine of usualEngines) {
  test(`the client creates a monitor of any size, changes it and follows its changes, on ${engine}`, async () => {
    await using service = await startService(engine);
    const row = (index: number, name = 'ALPHA LTD') => company(String(index).padStart(8, '0'), name);
    const rows = Array.from({ length: 1_200 }, (_, index) => row(index));
    await importCompanies(service, rows);
    const { monitors } = createClient({ url: service.url, key: await service.createKey() });
    const entities = rows.map(({ CompanyNumber = '' }) => ({ countryCode: 'GB', registrationNumber: CompanyNumber }));
    const unknown = { countryCode: 'NO', registrationNumber: '1' };
    const { monitor, notFound } = await monitors.create({ name: 'all', entities: [...entities, unknown] });
    assert.deepEqual(notFound, [unknown]);
    assert.equal((await monitors.get(monitor.id)).entities, 1_200);
    assert.deepEqual(await monitors.list(), [await monitors.get(monitor.id)]);
    assert.equal(new Set(await Array.fromAsync(monitors.entities(monitor.id))).size, 1_200);
    const [first] = entities;
    assert.equal((await monitors.remove(monitor.id, first ? [first] : [])).monitor.entities, 1_199);
    assert.deepEqual((await monitors.update(monitor.id, { fields: ['canonicalName'] })).fields, ['canonicalName']);
    const following = monitors.changes(monitor.id).follow({ cursor: monitor.cursor });
    const next = following.next();
    await importCompanies(service, [row(0, 'OMEGA LTD'), row(1_199, 'OMEGA LTD')]);
    const { value } = await next;
    assert.deepEqual([value?.type, value?.after?.canonicalName], ['changed', 'OMEGA LTD']);
    await following.return();
    const all = await Array.fromAsync(monitors.changes(monitor.id).read());
    assert.deepEqual(all, [value]);
    await monitors.delete(monitor.id);
    await assert.rejects(monitors.get(monitor.id), { code: 'monitor_not_found' });
  });
}
