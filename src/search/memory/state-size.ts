import type { IndexState, LiveDocs } from './overlay.ts';

/** The entities that the state shows. */
export function countEntities({ base, overlay }: IndexState): number {
  if (overlay === undefined) return base.entities;
  return overlay.segments.reduce((sum, { live }) => sum + live.size, overlay.live.size);
}

/** The size of an overlay, by which it is decided when to build a new base: the documents it adds or hides. */
export function countOverlayDocs({ base, overlay }: IndexState): number {
  if (overlay === undefined) return 0;
  return Math.max(overlay.places.length, base.entities - overlay.live.size);
}

export function countBytes(state: IndexState): number {
  return listParts(state).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The memory of a state that the one that follows it does not use. */
export function countDroppedBytes(state: IndexState, next: IndexState): number {
  const kept = new Set(listParts(next).map(({ part }) => part));
  return listParts(state).reduce((sum, { part, bytes }) => sum + (kept.has(part) ? 0 : bytes), 0);
}

/** Everything that takes memory. */
function listParts({ base, overlay }: IndexState): { part: object; bytes: number }[] {
  const parts: { part: object; bytes: number }[] = [{ part: base, bytes: base.bytes }];
  if (overlay === undefined) return parts;
  const add = (array: Uint32Array<SharedArrayBuffer>) => parts.push({ part: array.buffer, bytes: array.byteLength });
  const addLive = ({ bits, counts }: LiveDocs) => {
    add(bits);
    add(counts);
  };
  addLive(overlay.live);
  add(overlay.places);
  for (const { index, live, ranks } of overlay.segments) {
    parts.push({ part: index, bytes: index.bytes });
    addLive(live);
    add(ranks);
  }
  return parts;
}
