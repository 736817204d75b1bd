import { fail } from '../../../core/errors.ts';
import { nameSnapshot } from '../../../core/version.ts';
import type { Reply } from '../../../operations/operation.ts';
import { checkEncoding } from '../../../transport/parameters.ts';
import type { HttpReply } from '../../../transport/reply.ts';
import type { HttpRequest } from '../../../transport/request.ts';
import { reportLimits, takeAnswer } from '../../charged/route.ts';

/** How replies of the reconciliation service are sent. */
export interface Sent {
  readonly body: string;
  /** The version of the data. Undefined for what does not depend on it. */
  readonly version?: string;
  /** The content security policy of a page. Without it, the body is JSON. */
  readonly policy?: string;
}

/**
 * Returns the answer, or throws what came instead. A batch that the quota cannot pay is always a 429, and without `Retry-After`:
 * OpenRefine would wait until the next billing period, with its dialog open.
 */
export function takeSent(reply: HttpReply, result: Reply<Sent>, now: number): Sent {
  if (result.outcome !== 'denied' || result.code === 'rate_limit_exceeded') return takeAnswer(reply, result, now);
  const { limits, units } = result;
  reportLimits(reply, limits, now);
  const message = `This costs ${units} of the account's requests, and ${limits.quota.remaining} are left in this billing period: upgrade, or wait for the next period.`;
  throw fail('monthly_quota_exceeded', { message });
}

export function send(
  request: HttpRequest,
  reply: HttpReply,
  serviceVersion: string,
  { body, version, policy }: Sent,
): HttpReply {
  if (version !== undefined) reply.header('x-data-version', nameSnapshot(serviceVersion, version));
  if (policy !== undefined) {
    // Programs show the preview in a frame, on whatever host they run.
    reply.removeHeader('x-frame-options');
    return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(body);
  }
  const callback = request.method === 'GET' ? readCallback(request) : undefined;
  if (callback === undefined) return reply.type('application/json; charset=utf-8').send(body);
  // A script of another origin is loaded without CORS. The comment keeps the name from being read as the start of another format.
  reply.header('cross-origin-resource-policy', 'cross-origin').type('text/javascript; charset=utf-8');
  return reply.send(`/**/${callback}(${escapeScript(body)});`);
}

/** JSONP, for pages that use old programs: the name of a function, possibly of an object, and nothing else. */
function readCallback(request: HttpRequest): string | undefined {
  const callback = readParameter(request, 'callback');
  if (callback === undefined || CALLBACK.test(callback)) return callback;
  const message =
    'The parameter "callback" must be the name of a function: letters, digits, "_", "$" and ".", at most 100.';
  throw fail('invalid_request', { message });
}

const CALLBACK = /^(?=.{1,100}$)[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;

/** Line separators are allowed in JSON, but older browsers do not allow them in scripts. */
function escapeScript(json: string): string {
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029').replaceAll('</', '<\\/');
}

/** A parameter of the query. Unknown ones are ignored, because scripts add their own to avoid caches. */
export function readParameter(request: HttpRequest, name: string): string | undefined {
  checkEncoding(request.search);
  const value = (request.query as Readonly<Record<string, string | string[] | undefined>>)[name];
  return Array.isArray(value) ? value.at(-1) : value;
}

/** A whole number from `least` to `most`; `otherwise` if it is missing or not such a number. */
export function readCount(request: HttpRequest, name: string, least: number, most: number, otherwise: number): number {
  const text = readParameter(request, name) ?? '';
  return /^\d{1,9}$/.test(text) && Number(text) >= least ? Math.min(Number(text), most) : otherwise;
}
