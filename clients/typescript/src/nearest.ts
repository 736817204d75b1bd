/** The name that was probably meant: the one that differs least, in at most a third of its letters. */
export function findNearest(typed: string, names: readonly string[]): string | undefined {
  const near = names
    .map((name) => ({ name, edits: countEdits(typed, name) }))
    .filter(({ name, edits }) => edits <= name.length / 3);
  return near.sort((a, b) => a.edits - b.edits)[0]?.name;
}

/** How many letters have to be inserted, removed or replaced. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [done, letter] of Array.from(a).entries()) {
    const next = [done + 1];
    for (let at = 0; at < b.length; at++) {
      const replaced = (row[at] ?? 0) + (b[at] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
