/** What an issuer publishes weighs a few KiB. */
const MOST_BYTES = 1024 * 1024;

/**
 * `fetch` for answers of an issuer. Whoever answers in its place for three seconds at the speed of a local network could
 * fill our memory, for the libraries read to the end: here reading ends at the bound, and the answer counts as none.
 */
export async function fetchBounded(url: string, init: object): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Error(`the answer is longer than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), response);
}
