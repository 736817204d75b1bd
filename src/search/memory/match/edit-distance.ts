/**
 * The number of edits between two texts, or `limit` + 1 if there are more than `limit`: bytes that are added, removed or replaced, and
 * neighbours that are swapped. Computes only the cells of the table that are within the limit.
 */
export function countEdits(a: Uint8Array, aLength: number, b: Uint8Array, limit: number): number {
  if (Math.abs(aLength - b.length) > limit) return limit + 1;
  let [older, above, row] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  const none = limit + 1;
  for (let column = 0; column <= b.length; column++) above[column] = Math.min(column, none);
  for (let at = 1; at <= aLength; at++) {
    const first = Math.max(1, at - limit);
    const last = Math.min(b.length, at + limit);
    row[first - 1] = first === 1 ? Math.min(at, none) : none;
    let best = row[first - 1] as number;
    for (let column = first; column <= last; column++) {
      const isSame = a[at - 1] === b[column - 1];
      let edits = (above[column - 1] as number) + (isSame ? 0 : 1);
      edits = Math.min(edits, (row[column - 1] as number) + 1);
      if (column < at + limit) edits = Math.min(edits, (above[column] as number) + 1);
      const isSwapped = at > 1 && column > 1 && a[at - 1] === b[column - 2] && a[at - 2] === b[column - 1];
      if (isSwapped) edits = Math.min(edits, (older[column - 2] as number) + 1);
      row[column] = edits;
      best = Math.min(best, edits);
    }
    if (best > limit) return none;
    [older, above, row] = [above, row, older];
  }
  return Math.min(above[b.length] as number, none);
}

/** Texts that are compared have at most this many bytes. */
export const MAX_COMPARED = 64;
const ROWS = [0, 1, 2].map(() => new Uint8Array(MAX_COMPARED + 2));
