/** The pause that `Retry-After` requests, in milliseconds. The header is a number of seconds or a date. Undefined if it is neither. */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (header === null || header === undefined) return undefined;
  const pause = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(pause) ? undefined : Math.max(0, pause);
}

/** Reads the bytes of a response. Stops and throws if the response is longer than `maxBytes`: a hostile server must not fill the memory. */
export async function readBounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read);
}
