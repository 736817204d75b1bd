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
