/** What a server writes a response to: a `ServerResponse`, or another stream. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly socket?: { readonly writable: boolean } | null;
}

/**
 * Whether nothing can be sent to the client any more: it has disconnected or closed its side, or the connection was ended because of bytes
 * that are not valid HTTP.
 */
export function isGone({ destroyed, socket }: ResponseStream): boolean {
  return destroyed || socket?.writable === false;
}
