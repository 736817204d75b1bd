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
  assert.match(alone, /The files name no owner and no reason for that\. .*No company names this one as its owner/);

  await using off = await startService('sqlite', { database: service.database, env: { PARTIES: 'off' } });
  assert.equal(await read(ids.Child, off), '');
});

test('the page draws who owns the company and what it owns: links, cycles, ends, bounds, and no markup of names', async () => {
  await using service = await startService('sqlite');
  const holdings = Array.from({ length: 20 }, (_, index) => `Hold${String.fromCharCode(65 + index)}`);
  const names = ['Mid', 'Par', 'Top', 'Ring', ...holdings];
  await importGleif(service, {
    'lei2.csv': writeCompanies([...names.map((name) => [name] as const), ['<script>']]),
    'rr.csv': writeRelationships([
      { child: 'Mid', parent: 'Par' },
      { child: 'Mid', parent: 'Top', type: 'IS_ULTIMATELY_CONSOLIDATED_BY' },
      { child: 'Mid', parent: 'Gone' },
      { child: 'Par', parent: 'Top' },
      { child: 'Par', parent: 'Ring' },
      { child: 'Ring', parent: 'Mid' },
      { child: 'Mid', parent: '<script>', type: 'IS_FUND-MANAGED_BY' },
      { child: '<script>', parent: 'Top' },
      ...holdings.map((child) => ({ child, parent: 'Mid' })),
    ]),
    'repex.csv': writeExceptions([['Top', 'NATURAL_PERSONS']]),
  });
  const ids = await readIds(service);
  const { headers } = await service.signIn();
  const read = async (id = '') => {
    const response = await fetch(`${service.url}/entities/${id}`, {
      headers: { ...headers, 'sec-fetch-site': 'same-origin' },
    });
    const page = await response.text();
    const [wide = '', narrow = ''] = page.match(/<svg [^>]*role="group".*?<\/svg>/gs) ?? [];
    return { page, wide, narrow };
  };
  const boxesOf = (svg: string) =>
    [...svg.matchAll(/<g class="box ([a-z]+)">(.*?)(?=<g class="box|<\/svg>)/gs)].map(([, kind, box = '']) => {
      const [, title = ''] = /<title>(.*?)<\/title>/.exec(box) ?? [];
      const [, y = ''] = /<rect x="[^"]*" y="([^"]*)"/.exec(box) ?? [];
      return { kind, title, href: /href="([^"]*)"/.exec(box)?.[1], y: Number(y), text: box.replace(/<[^>]*>/g, ' ') };
    });

  const { page, wide, narrow } = await read(ids.Mid);
  const boxes = boxesOf(wide);
  const find = (name: string) => boxes.find(({ title }) => title === name) ?? assert.fail(name);
  // The company, three owners with a record, one without, and 11 of 20 holdings.
  assert.equal(boxes.length, 17);
  assert.deepEqual([find('Mid').kind, find('Mid').href], ['self', undefined]);
  assert.equal(find('Par').href, `/entities/${ids.Par}`);
  assert.deepEqual([find(lei('Gone')).kind, find(lei('Gone')).href], ['missing', undefined]);
  assert.match(find('Top').text, /Natural persons/);
  assert.match(find(lei('Gone')).text, /Not in the store/);
  const rest = boxes.find(({ kind }) => kind === 'more');
  assert.match(rest?.text ?? '', /and 9 more\s+companies/);
  assert.equal(rest?.href, '#holdings');
  // Owners are above what they own, and holdings below. The shortcut to the ultimate parent is not drawn.
  assert.ok(find('Top').y < find('Par').y && find('Par').y < find('Mid').y && find('Mid').y < find('HoldD').y);
  const lines = [...wide.matchAll(/<path class="([a-z]*)" d=/g)].map(([, kind]) => kind);
  assert.equal(lines.length, 5 + 11 + 1);
  assert.equal(lines.filter((kind) => kind === 'cyclic').length, 3);
  assert.match(page, /Highlighted lines: companies that own each other\./);
  // A screen reader gets a name, a summary, and the tables with the same in words.
  assert.match(wide, /aria-labelledby="chart-title" aria-describedby="chart-text"/);
  assert.match(wide, /<title id="chart-title">Ownership chart of Mid<\/title>/);
  assert.match(wide, /4 owners above and 20 companies directly below\. Some of them own each other\./);
  assert.match(page, /<h3 id="officers">Officers and others<\/h3>/);
  assert.ok(!page.includes('<script>0') && page.includes('&lt;script&gt;'));

  // Phones get the same boxes below each other.
  assert.deepEqual(
    boxesOf(narrow).map(({ title }) => title),
    boxes.map(({ title }) => title),
  );
  const widthOf = (svg: string) => Number(/width="(\d+)"/.exec(svg)?.[1]);
  assert.ok(widthOf(narrow) <= 330, `${widthOf(narrow)} px`);
  assert.ok(new Set(boxesOf(narrow).map(({ y }) => y)).size === boxes.length);
  assert.equal((await read(ids.HoldD)).wide.includes('Ownership chart of HoldD'), true);
});
