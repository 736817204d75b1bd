import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { runWithBreaks } from '../../src/base/system/event-loop.ts';
import type { OwnershipAnswer, Parties } from '../../src/registry/parties/parties.ts';
import { type Edge, findCycles } from '../../src/registry/parties/walk.ts';
import { createChance } from '../../synthetic/chance.ts';
import { measureLongestTurn } from '../attack/longest-turn.ts';
import { engines } from '../harness/databases.ts';
import { isDeep } from '../harness/depth.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import {
  importGleif,
  lei,
  type Relationship,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from './level2-files.ts';

interface Row {
  readonly id: string;
  readonly company: string;
  readonly role: string;
  readonly number: string | null;
  readonly isCurrent: number;
  readonly from: string | null;
  readonly place: number;
  readonly content: string;
}

const FOLLOWED = new Set(['parent', 'ultimate_parent', 'head_office']);
const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** The definition: level by level, the rows of all its companies by company, role and id. */
function walk(rows: readonly Row[], start: string, isUp: boolean, depth: number) {
  const nodes = [{ number: start, depth: 0 }];
  const links: unknown[] = [];
  const find = (number: string, level: number) => {
    const known = nodes.findIndex((node) => node.number === number);
    return known >= 0 ? known : nodes.push({ number, depth: level }) - 1;
  };
  for (let level = 1, from = 0; level <= depth && from < nodes.length; level++) {
    const frontier = new Set(nodes.slice(from).map(({ number }) => number));
    from = nodes.length;
    const found = rows
      .filter((row) => row.isCurrent === 1 && FOLLOWED.has(row.role) && row.number !== null)
      .filter((row) => frontier.has((isUp ? row.company : row.number) as string))
      .sort((a, b) => compare(a.company, b.company) || compare(a.role, b.role) || compare(a.id, b.id));
    for (const { company, number, role, from: day, place, content } of found) {
      const { roleText, interests: stored } = JSON.parse(content);
      const interests = stored.map((interest: object) => ({ ...interest, heldAs: null }));
      const owned = find(company, level);
      const party = find(number as string, level);
      links.push({ company: owned, party, role, roleText, interests, from: day, row: place });
    }
  }
  return { nodes, links };
}

/** Each company of the group is owned by so many others of it. */
function writeGroup(companies: number, links: number) {
  const names = Array.from({ length: companies }, (_, index) => `G${index}X`);
  const owners = names.flatMap((child, at) =>
    Array.from({ length: links }, (_, step) => ({ child, parent: `G${(at + step + 1) % companies}X` })),
  );
  return {
    'lei2.csv': writeCompanies(names.map((name): [string] => [name])),
    'rr.csv': writeRelationships(owners),
  };
}

for (const engine of engines) {
  describe(`a group with many links on ${engine}`, () => {
    const service = useService(engine);
    let parties: Parties;
    let start = '';
    before(async () => {
      await importGleif(service, writeGroup(300, 60));
      parties = service.services.registry.parties;
      start = (await readIds(service)).G0X ?? '';
    });

    test('an answer has at most 4,000 links, says that others are missing, and is made with breaks', async () => {
      for (const direction of ['owners', 'holdings'] as const) {
        let found: OwnershipAnswer | undefined;
        const longest = await measureLongestTurn(async () => {
          found = await parties.walk(start, direction, 10);
        });
        assert.ok(found);
        assert.deepEqual([found.links.length, found.truncated], [4_000, true], direction);
        assert.ok(longest <= (isDeep ? 50 : 250), `${direction}: ${longest} ms`);
        if (direction === 'holdings') continue;
        const named = new Set(found.links.map(({ company }) => company));
        for (const { node, end } of found.nodes) assert.equal(end?.reason ?? null, named.has(node) ? null : 'limit');
      }
    });

    test('an account follows one group at a time; others do not wait for it', async (t) => {
      const { registryDb } = service.services;
      const asked: (() => void)[] = [];
      const rows = registryDb.rows.bind(registryDb);
      t.mock.method(registryDb, 'rows', async (...given: Parameters<typeof rows>) => {
        if (given[0].includes('CROSS JOIN parties')) await new Promise<void>((resolve) => asked.push(resolve));
        return rows(...given);
      });
      const deadline = performance.now() + 60_000;
      const walk = (account: string, until: number) => parties.walk(start, 'owners', 1, account, until);
      const walks = [walk('a', deadline), walk('a', deadline), walk('b', deadline)];
      await until('both accounts read', () => asked.length >= 2);
      await assert.rejects(walk('a', performance.now() + 10), { code: 'service_unavailable' });
      assert.equal(asked.length, 2);
      for (const [at] of walks.entries()) {
        await until('the next one reads', () => asked.length > at);
        asked[at]?.();
      }
      for (const found of await Promise.all(walks)) assert.equal(found?.links.length, 60);
    });
  });

  test(`owners and holdings of random groups on ${engine}: every node and link of the definition, in its order`, async () => {
    await using service = await startService(engine);
    const chance = createChance(11);
    const names = Array.from({ length: 220 }, (_, index) => `N${index}X`);
    const types = [
      'DIRECTLY_CONSOLIDATED_BY',
      'ULTIMATELY_CONSOLIDATED_BY',
      'INTERNATIONAL_BRANCH_OF',
      'FUND-MANAGED_BY',
    ];
    const link = (child: string, parent: string): Relationship => ({
      ...{ child, parent, type: `IS_${types[chance.between(0, 3)]}` },
      ...{ status: chance.between(0, 9) === 0 ? 'INACTIVE' : 'ACTIVE', from: `2015-03-${chance.between(10, 28)}` },
    });
    // Some levels have a hundred companies.
    const some = names.slice(1, 100).flatMap((name) => [link('N0X', name), link(name, 'N0X')]);
    const others = Array.from({ length: 300 }, () =>
      link(`N${chance.between(1, 219)}X`, `N${chance.between(100, 230)}X`),
    );
    await importGleif(service, {
      'lei2.csv': writeCompanies(names.map((name): [string] => [name])),
      'rr.csv': writeRelationships([...some, ...others]),
      'repex.csv': writeExceptions(names.slice(150).map((name) => [name, 'NATURAL_PERSONS'])),
    });
    const rows = await service.services.registryDb.all<Row>(
      `SELECT id, company, role, party_number AS number, is_current AS "isCurrent", valid_from AS "from", place, content FROM parties`,
    );
    const ids = await readIds(service);
    for (const name of ['N0X', ...names.slice(95, 130)]) {
      for (const direction of ['owners', 'holdings'] as const) {
        for (const depth of [1, 10]) {
          const found = await service.services.registry.parties.walk(ids[name] ?? '', direction, depth);
          const shown = {
            nodes: found?.nodes.map((node) => ({ number: node.number, depth: node.depth })),
            links: found?.links.map(({ company, party, role, roleText, interests, from, source }) => {
              return { company, party, role, roleText, interests, from, row: source.row };
            }),
          };
          assert.deepEqual(
            shown,
            walk(rows, lei(name), direction === 'owners', depth),
            `${name} ${direction} ${depth}`,
          );
        }
      }
    }
  });
}

/** The definition: an edge is part of a cycle if its end leads back to its start. */
function leadsBack(edges: readonly Edge[], { company, party }: Edge): boolean {
  const reached = new Set([party]);
  for (const node of reached) {
    if (node === company) return true;
    for (const edge of edges) if (edge.company === node) reached.add(edge.party);
  }
  return false;
}

test('the edges of cycles are found in random graphs, exactly', async () => {
  const chance = createChance(7);
  let found = 0;
  for (let round = 0; round < 300; round++) {
    const nodes = chance.between(1, 12);
    const edges = Array.from({ length: chance.between(0, 20) }, () => ({
      company: chance.between(0, nodes - 1),
      party: chance.between(0, nodes - 1),
    }));
    const cyclic = await runWithBreaks(findCycles(edges));
    for (const edge of edges) assert.equal(cyclic.has(edge), leadsBack(edges, edge), JSON.stringify(edges));
    found += cyclic.size;
  }
  assert.ok(found > 100);
});
