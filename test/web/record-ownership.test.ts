import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../harness/service.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';

const COMPANIES = writeCompanies([['Child'], ['Parent', 'FR'], ['Alone']]);
const LEVEL2 = {
  'rr.csv': writeRelationships([
    { child: 'Child', parent: 'Parent', from: '2015-03-01' },
    { child: 'Child', parent: '<b>', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
  ]),
  'repex.csv': writeExceptions([['Parent', 'NATURAL_PERSONS']]),
};

test('the page of a record lists its owners and holdings, without a script', async () => {
  await using service = await startService('sqlite');
  await importGleif(service, { 'lei2.csv': COMPANIES });
  const ids = await readIds(service);
  const { headers } = await service.signIn();
  const read = async (id = '', of = service) => {
    const response = await fetch(`${of.url}/entities/${id}`, {
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    });
    assert.equal(response.status, 200);
    const [, section = ''] = /<section[^>]*id="ownership">(.*?)<\/section>/s.exec(await response.text()) ?? [];
    return section;
  };
  const textOf = (html: string) => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  assert.match(textOf(await read(ids.Child)), /The files of owners are not imported here/);

  await importGleif(service, LEVEL2);
  const child = await read(ids.Child);
  assert.match(textOf(child), /Owners and holdings .* Parent Parent France 1 Mar 2015/);
  assert.ok(child.includes(`<a href="/entities/${ids.Parent}">`));
  assert.ok(child.includes(`${lei('<b>').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`));
  assert.match(textOf(child), /not in the store/);
  const parent = textOf(await read(ids.Parent));
  assert.match(parent, /Parent None: natural persons control it, who are not named NATURAL_PERSONS/);
  assert.match(parent, /1 company directly below this one\. .* Child Germany/);
  const alone = textOf(await read(ids.Alone));
  assert.match(alone, /The files name no owner and no reason for that\. .*No company names this one as its parent/);

  await using off = await startService('sqlite', { database: service.database, env: { PARTIES: 'off' } });
  assert.equal(await read(ids.Child, off), '');
});
