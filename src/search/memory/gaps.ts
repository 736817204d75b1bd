/**
 * Sorted lists of documents as the gaps between them, in units of 16 bits: most lists of grams have gaps below 2^15, which take one
 * unit. In a longer gap, the lowest 15 bits come first, and all units but the last have the highest bit.
 */
const MORE = 0x8000;

export function countUnits(gap: number): number {
  return gap < MORE ? 1 : gap < MORE * MORE ? 2 : 3;
}

/** Returns where the next gap starts. The first gap of a list is the document plus one. */
export function writeGap(units: Uint16Array, at: number, gap: number): number {
  let end = at;
  let left = gap;
  for (; left >= MORE; left = Math.floor(left / MORE)) units[end++] = MORE | (left % MORE);
  units[end] = left;
  return end + 1;
}

/** Writes the documents of a list to `docs`, which must have room for as many as there are units. Returns where they end. */
export function readGaps(units: Uint16Array, from: number, to: number, docs: Uint32Array, at: number): number {
  let end = at;
  let doc = -1;
  for (let next = from; next < to; next++) {
    let unit = units[next] as number;
    let scale = 1;
    for (; unit >= MORE; unit = units[++next] as number) {
      doc += (unit - MORE) * scale;
      scale *= MORE;
    }
    doc += unit * scale;
    docs[end++] = doc;
  }
  return end;
}
