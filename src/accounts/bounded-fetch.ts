/** What an issuer publishes takes a few KiB. */
const MAX_BYTES = 1024 * 1024;

/**
 * `fetch` with a size limit, for requests to the issuer. The libraries read a response to its end, so a hostile server
 * on a fast network could fill our memory within their time-out of three seconds. A longer response fails.
 */
export async function fetchBounded(url: string, init: object): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early closes the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`the response is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return new Response(Buffer.concat(chunks), response);
}
