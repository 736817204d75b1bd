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

/**
 * Writes the documents of a list to `docs`, which must have room for as many as there are units. Returns where they end. Adds 32-bit
 * integers, which is fastest; an array of unsigned numbers stores a sum that overflows as the right one.
 */
export function readGaps(units: Uint16Array, from: number, to: number, docs: Uint32Array, at: number): number {
  let end = at;
  let doc = -1;
  let shift = 0;
  for (let next = from; next < to; next++) {
    const unit = units[next] as number;
    doc = (doc + ((unit & (MORE - 1)) << shift)) | 0;
    // Every unit writes, and the last one of a gap is kept: a branch would be slower.
    docs[end] = doc;
    const more = unit >>> 15;
    shift = (shift + 15) * more;
    end += 1 - more;
  }
  return end;
}
