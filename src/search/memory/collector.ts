/**
 * Makes V8 free the memory of an index that a thread no longer uses. V8 does not count shared memory, so a dropped index does
 * not cause a garbage collection: two idle threads kept five replaced indexes of 260 MB each. V8 does count array
 * buffers, so allocating and dropping some starts a collection. The buffers are never written to, so they use no physical
 * memory. The alternative, `gc()`, needs the flag `--expose-gc` and stops the thread for 30 ms or more.
 *
 * The buffers are allocated one by one, with pauses in which V8 marks in small steps. Allocated all at once, the buffers exceed
 * the limit at which V8 stops the thread to complete a collection; or they only complete a collection that started before the
 * index was dropped, so the index is not freed.
 *
 * Call the returned function with the number of bytes that were dropped. Small amounts, such as an overlay, are added up
 * first, because every collection costs about as much as any other.
 */
export function createCollector({ allocate = allocatePiece } = {}): (droppedBytes: number) => void {
  let dropped = 0;
  /** The number of buffers that remain to be allocated. */
  let pieces = 0;

  function allocateNext(): void {
    allocate();
    pieces--;
    if (pieces > 0) schedule();
  }

  function schedule(): void {
    setTimeout(allocateNext, PAUSE_MS).unref();
  }

  return (bytes) => {
    dropped += bytes;
    if (dropped < PIECE_BYTES) return;
    const isIdle = pieces === 0;
    pieces = Math.max(pieces, Math.min(Math.ceil(dropped / PIECE_BYTES) + 1, MAX_PIECES));
    dropped = 0;
    if (isIdle) schedule();
  };
}

const PIECE_BYTES = 64 * 1024 * 1024;
/** Enough for two collections with a heap of 200 MB, however large the dropped index is. */
const MAX_PIECES = 32;
const PAUSE_MS = 20;

function allocatePiece(): void {
  new ArrayBuffer(PIECE_BYTES);
}
