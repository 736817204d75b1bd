import { cutText } from './register-text.ts';

/** Codes of JSON-RPC. */
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const MAX_PATH = 100;

interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/**
 * Replaces texts that the package of the protocol did not write for clients: lists of problems of its validator, which it calls
 * internal errors, and unexpected errors as `data`. Our own handlers never end in an internal error.
 */
export async function replaceErrorTexts(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const text = await response.text();
  const { status, headers } = response;
  // Results can be long, and nothing in them is replaced.
  if (text.startsWith('{"result":')) return new Response(text, { status, headers });
  const reply = JSON.parse(text) as { readonly error?: RpcError };
  const body = reply.error === undefined ? text : JSON.stringify({ ...reply, error: replaceError(reply.error) });
  return new Response(body, { status, headers });
}

function replaceError({ code, message, data }: RpcError): RpcError {
  if (code === INTERNAL_ERROR || message.includes('\n')) {
    const place = findPlace(message);
    return { code: INVALID_PARAMS, message: `Invalid params: ${place} is not what the protocol defines.` };
  }
  return typeof data === 'object' ? { code, message, data } : { code, message };
}

/** The first place that the validator complains about. Its names can be those of the message. */
function findPlace(message: string): string {
  try {
    const [problem] = JSON.parse(message.slice(message.indexOf('['))) as { path: readonly (string | number)[] }[];
    return JSON.stringify(cutText(problem?.path.join('.') || 'params', MAX_PATH));
  } catch {
    return '"params"';
  }
}
