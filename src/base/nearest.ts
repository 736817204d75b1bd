/** The candidate that a mistyped word most likely means, undefined if none is near. Up to a third of the letters may differ. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  const typed = word.slice(0, 40).toLowerCase();
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const edits = editDistance(typed, known);
    if (edits > Math.floor(Math.max(typed.length, known.length) / 3)) continue;
    // The first letter is seldom mistyped, so it decides between words that are equally near.
    const distance = edits + (typed[0] === known[0] ? 0 : 0.5);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** How many letters have to be inserted, removed, replaced or swapped with their neighbour. The table of distances is computed row by row. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const replaced = (previous[column - 1] ?? 0) + (isSame ? 0 : 1);
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, swapped, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
