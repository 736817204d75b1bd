import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Edge, findCycles } from '../../src/parties/ownership.ts';
import { createChance } from '../../synthetic/chance.ts';

/** The definition: an edge is part of a cycle if its end leads back to its start. */
function leadsBack(edges: readonly Edge[], { company, party }: Edge): boolean {
  const reached = new Set([party]);
  for (const node of reached) {
    if (node === company) return true;
    for (const edge of edges) if (edge.company === node) reached.add(edge.party);
  }
  return false;
}

test('the edges of cycles are found in random graphs, exactly', () => {
  const chance = createChance(7);
  let found = 0;
  for (let round = 0; round < 300; round++) {
    const nodes = chance.between(1, 12);
    const edges = Array.from({ length: chance.between(0, 20) }, () => ({
      company: chance.between(0, nodes - 1),
      party: chance.between(0, nodes - 1),
    }));
    const isCyclic = findCycles(nodes, edges);
    for (const edge of edges) assert.equal(isCyclic(edge), leadsBack(edges, edge), JSON.stringify(edges));
    found += edges.filter(isCyclic).length;
  }
  assert.ok(found > 100);
});

test('a chain of 100,000 companies does not exhaust the stack', () => {
  const edges = Array.from({ length: 100_000 }, (_, company) => ({ company, party: (company + 1) % 100_000 }));
  assert.equal(edges.filter(findCycles(100_000, edges)).length, 100_000);
});
