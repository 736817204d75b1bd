export const PARSE_ERROR = -32_700;
export const INVALID_REQUEST = -32_600;
/** An error that the protocol leaves to implementations. */
const SERVER_ERROR = -32_000;

/** A failure that the assistant is told, with what to do about it. */
export class Problem extends Error {
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(message: string, code: number = SERVER_ERROR, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error as a reply. `id` is null if the message has no readable one. */
export function writeProblem(id: unknown, { code, message, data }: Problem): object {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } };
}
