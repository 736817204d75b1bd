import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';
import { company } from '../registry/gb-file.ts';
import { codeOf } from './metered-service.ts';

const UNKNOWN = '00000000-0000-5000-8000-000000000000';
const COMPANIES = writeCompanies([['Child'], ['Parent', 'FR'], ['Top', 'US'], ['Fund'], ['Loop'], ['Ring'], ['Alone']]);
const ULTIMATE = 'IS_ULTIMATELY_CONSOLIDATED_BY';
const RELATIONSHIPS = writeRelationships([
  { child: 'Child', parent: 'Parent', from: '2015-03-01' },
  { child: 'Child', parent: 'Top', type: ULTIMATE },
  { child: 'Child', parent: 'Former', status: 'INACTIVE', from: '2010-01-01', until: '2015-02-28' },
  { child: 'Child', parent: 'Lost', status: 'INACTIVE', from: '2001-01-01' },
  { child: 'Parent', parent: 'Top' },
  { child: 'Fund', parent: 'Child', type: 'IS_FUND-MANAGED_BY' },
  { child: 'Loop', parent: 'Ring' },
  { child: 'Ring', parent: 'Loop' },
  { child: 'Ring', parent: 'Away' },
  { child: 'Branch', parent: 'Child', type: 'IS_INTERNATIONAL_BRANCH_OF' },
]);
const EXCEPTIONS = writeExceptions([
  ['Top', 'NON_PUBLIC', 'ULTIMATE'],
  ['Top', 'NATURAL_PERSONS', 'DIRECT'],
]);

interface Node {
  readonly number: string;
  readonly name: string | null;
  readonly depth: number;
  readonly end: { readonly reason: string; readonly text: string | null } | null;
}
interface Link {
  readonly company: number;
  readonly party: number;
  readonly role: string;
  readonly inCycle: boolean;
}
interface Graph {
  readonly data: { readonly nodes: readonly Node[]; readonly links: readonly Link[] };
  readonly meta: Readonly<Record<string, unknown>>;
}

const show = ({ data: { nodes, links } }: Graph) => ({
  nodes: nodes.map(({ name, number, depth, end }) =>
    `${depth} ${name ?? number.replace(/0+$/, '')} ${end?.reason ?? ''}`.trim(),
  ),
  links: links
    .map(({ company, party, role, inCycle }) => `${company}-${party} ${role}${inCycle ? ' cycle' : ''}`)
    .sort(),
});

describeOn(usualEngines, 'parties of companies', (engine) => {
  const service = useService(engine);
  let ids: Readonly<Record<string, string>>;
  before(async () => {
    // Parties first: the order of imports makes no difference.
    await importGleif(service, { 'rr.csv': RELATIONSHIPS, 'repex.csv': EXCEPTIONS });
    await importGleif(service, { 'lei2.csv': COMPANIES });
    await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
    ids = await readIds(service);
  });
  const get = (path: string) => service.client.get(`/api/v1/entities/${path}`);

  test('200: the parties in force, linked by number, each with the row that says so', async () => {
    const { status, body } = await get(`${ids.Child}/parties`);
    assert.equal(status, 200);
    assert.deepEqual(body.meta, {
      total: 2,
      truncated: false,
      withheld: 0,
      register: 'gleif',
      coverage: 'available',
    });
    const [parent, ultimate] = body.data;
    const { sourceData, source, ...shown } = parent;
    assert.deepEqual(shown, {
      role: 'parent',
      roleText: 'IS_DIRECTLY_CONSOLIDATED_BY',
      kind: 'organisation',
      name: 'Parent',
      entityId: ids.Parent,
      number: lei('Parent'),
      countryCode: 'FR',
      interests: [{ type: 'consolidation', share: null, heldAs: null }],
      from: '2015-03-01',
      until: null,
      current: true,
      absence: null,
    });
    assert.deepEqual([source.file, source.row], ['rr.csv', 2]);
    assert.match(source.hash, /^sha256:[0-9a-f]{64}$/);
    const [header = '', row = ''] = RELATIONSHIPS.split('\n');
    const cells = row.split(',');
    assert.deepEqual(sourceData, Object.fromEntries(header.split(',').map((name, index) => [name, cells[index]])));
    assert.deepEqual([ultimate.role, ultimate.entityId], ['ultimate_parent', ids.Top]);
    assert.deepEqual((await get(`${ids.Child?.toUpperCase()}/parties`)).body, body);
  });

  test('200: of one role, and of a day', async () => {
    const namesOf = async (query: string) =>
      (await get(`${ids.Child}/parties?${query}`)).body.data.map(({ name, number }: Node) => name ?? number);
    assert.deepEqual(await namesOf('role=ultimate_parent'), ['Top']);
    assert.deepEqual(await namesOf('role=auditor'), []);
    assert.deepEqual(await namesOf('at=2015-02-28'), [lei('Former'), 'Top']);
    assert.deepEqual(await namesOf('at=2015-03-01&role=parent'), ['Parent']);
    // Lost has ended on an unknown day.
    assert.deepEqual(await namesOf('at=2001-01-01'), ['Top']);
  });

  test('200: a reason for having no parent is a party without a name', async () => {
    const { body } = await get(`${ids.Top}/parties?role=parent`);
    const [{ kind, name, number, entityId, absence, source }] = body.data;
    assert.deepEqual([kind, name, number, entityId], ['person', null, null, null]);
    assert.deepEqual([absence, source.row], [{ reason: 'persons', text: 'NATURAL_PERSONS' }, 3]);
  });

  test('200: owners level by level, with the reason why each chain ends', async () => {
    const { body } = await get(`${ids.Child}/owners`);
    assert.deepEqual(show(body), {
      nodes: ['0 Child', '1 Parent', '1 Top person'],
      links: ['0-1 parent', '0-2 ultimate_parent', '1-2 parent'],
    });
    assert.equal(body.data.nodes[2].end.text, 'NATURAL_PERSONS');
    const counts = { nodes: 3, links: 3, cyclicLinks: 0, truncated: false, register: 'gleif', coverage: 'available' };
    assert.deepEqual(body.meta, counts);
    const near = await get(`${ids.Child}/owners?depth=1`);
    assert.deepEqual(show(near.body).nodes, ['0 Child', '1 Parent depth', '1 Top depth']);
    assert.deepEqual(show((await get(`${ids.Alone}/owners`)).body), { nodes: ['0 Alone not_in_files'], links: [] });
  });

  test('200: a register without files of parties says so', async () => {
    await importSynthetic(service, 'fi', 1);
    const [{ id }] = (await service.client.get('/api/v1/entities?country=FI')).body.data;
    const meta = { total: 0, truncated: false, withheld: 0, register: 'fi', coverage: 'not_published' };
    assert.deepEqual((await get(`${id}/parties`)).body, { data: [], meta });
    const { body } = await get(`${id}/owners`);
    assert.deepEqual([body.data, body.meta.coverage], [{ nodes: [], links: [] }, 'not_published']);
  });

  test('304: an answer that has not changed; 400 and 404', async () => {
    const { headers } = await get(`${ids.Child}/owners`);
    const again = await service.client.get(`/api/v1/entities/${ids.Child}/owners`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    assert.equal(again.status, 304);
    for (const path of ['parties', 'owners', 'holdings']) {
      const missing = await get(`${UNKNOWN}/${path}`);
      assert.equal(codeOf(missing), '404 entity_not_found');
      const invalid = await get(`${ids.Child}/${path}?page=1`);
      assert.equal(codeOf(invalid), '400 invalid_request');
    }
    for (const query of ['parties?role=boss', 'parties?at=2015-02-30', 'owners?depth=0', 'holdings?depth=11']) {
      assert.equal((await get(`${ids.Child}/${query}`)).status, 400, query);
    }
  });
});
