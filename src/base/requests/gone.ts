/** What a server writes a response to: a `ServerResponse`, or another stream. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly socket?: { readonly writable: boolean } | null;
}

/** Whether nothing can be sent to the client any more: it has gone, or the connection was ended for invalid HTTP. */
export function isGone({ destroyed, socket }: ResponseStream): boolean {
  return destroyed || socket?.writable === false;
}
