/** The graph of who owns whom, as far as it was read. Pure: `walk.ts` reads it. */

export interface Edge {
  /** The node that is owned. */
  readonly company: number;
  /** The node that owns it. */
  readonly party: number;
}

/**
 * The edges that are part of a cycle: those between nodes from which each other can be reached (Tarjan's strongly connected
 * components). Without recursion, because a chain can be as long as the graph.
 */
export function findCycles(nodes: number, edges: readonly Edge[]): ReadonlySet<Edge> {
  const owners: number[][] = Array.from({ length: nodes }, () => []);
  for (const { company, party } of edges) owners[company]?.push(party);
  const order = new Array<number>(nodes).fill(-1);
  const lowest = new Array<number>(nodes).fill(0);
  const component = new Array<number>(nodes).fill(-1);
  const open: number[] = [];
  let count = 0;
  for (let root = 0; root < nodes; root++) {
    if (order[root] !== -1) continue;
    const path = [{ node: root, next: 0 }];
    while (path.length > 0) {
      const step = path.at(-1) as { node: number; next: number };
      const { node } = step;
      if (step.next === 0) {
        order[node] = lowest[node] = count++;
        open.push(node);
      }
      const owner = owners[node]?.[step.next++];
      if (owner === undefined) {
        path.pop();
        const below = path.at(-1)?.node;
        if (below !== undefined) lowest[below] = Math.min(lowest[below] as number, lowest[node] as number);
        if (lowest[node] === order[node]) closeComponent(node, open, component);
      } else if (order[owner] === -1) path.push({ node: owner, next: 0 });
      else if (component[owner] === -1) lowest[node] = Math.min(lowest[node] as number, order[owner] as number);
    }
  }
  return new Set(edges.filter(({ company, party }) => component[company] === component[party]));
}

/** The component of a node is what is open from this node to the end of the list. */
function closeComponent(node: number, open: number[], component: number[]): void {
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    component[last] = node;
    if (last === node) return;
  }
}
