/** The stream that a response is written to: a `ServerResponse`, or another stream. */
export interface ResponseStream {
  readonly destroyed: boolean;
  readonly socket?: { readonly writable: boolean } | null;
}

/** Whether nothing can be sent to the client any more: the client has gone, or the connection was closed because of invalid HTTP. */
export function isGone({ destroyed, socket }: ResponseStream): boolean {
  return destroyed || socket?.writable === false;
}
