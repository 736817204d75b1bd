/** The graph of who owns whom, as far as it was read. Pure: `walk.ts` reads it. */

export interface Edge {
  /** The node that is owned. */
  readonly company: number;
  /** The node that owns it. */
  readonly party: number;
}

/**
 * Says which edges are part of a cycle: those between nodes from which each other can be reached (Tarjan's strongly connected
 * components). Without recursion, because a chain can be as long as the graph.
 */
export function findCycles(nodes: number, edges: readonly Edge[]): (edge: Edge) => boolean {
  // The edges of a company are a list: the next one to follow, and the one after each.
  const following = new Array<number>(nodes).fill(-1);
  const after = edges.map(({ company }, edge) => {
    const first = following[company] as number;
    following[company] = edge;
    return first;
  });
  const order = new Array<number>(nodes).fill(-1);
  const lowest = new Array<number>(nodes).fill(0);
  const component = new Array<number>(nodes).fill(-1);
  const open: number[] = [];
  let count = 0;
  for (let root = 0; root < nodes; root++) {
    if (order[root] !== -1) continue;
    const path = [root];
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      if (order[node] === -1) {
        order[node] = lowest[node] = count++;
        open.push(node);
      }
      const edge = following[node] as number;
      const owner = edges[edge]?.party;
      if (owner === undefined) {
        path.pop();
        const below = path.at(-1);
        if (below !== undefined) lowest[below] = Math.min(lowest[below] as number, lowest[node] as number);
        if (lowest[node] === order[node]) closeComponent(node, open, component);
        continue;
      }
      following[node] = after[edge] as number;
      if (order[owner] === -1) path.push(owner);
      else if (component[owner] === -1) lowest[node] = Math.min(lowest[node] as number, order[owner] as number);
    }
  }
  return ({ company, party }) => component[company] === component[party];
}

/** The component of a node is what is open from this node to the end of the list. */
function closeComponent(node: number, open: number[], component: number[]): void {
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    component[last] = node;
    if (last === node) return;
  }
}
