import { isIP } from 'node:net';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { fail } from '../../../base/errors.ts';
import { parseRetryAfter } from '../../../base/requests/responses.ts';
import { isLoopbackName } from '../../../base/site.ts';
import { toStorable } from '../../../base/storable.ts';
import {
  guardLookup,
  isPrivateAddress,
  PRIVATE_ADDRESS,
  type ResolveName,
  refuseAddress,
} from '../../../base/system/addresses.ts';

export interface Answer {
  /** Whether the request was handed to a connection, so that the receiver may have read it. Without a connection, the request was not sent. */
  readonly isSent: boolean;
  readonly status: number | null;
  readonly reason: string | null;
  readonly body: string;
  readonly retryAfter: string | null;
  readonly tookMs: number;
}

export interface SenderOptions {
  readonly rules: TargetRules;
  readonly timeoutMs: number;
  readonly resolve?: ResolveName | undefined;
}

const MAX_BODY_BYTES = 500;
/** Shorter than receivers keep idle connections. A request on a connection that the receiver is just closing would be a failed attempt. */
const IDLE_MS = 1_000;

export type Sender = ReturnType<typeof createSender>;

/**
 * Sends webhooks. A connection is made only to an address that was checked: the connector resolves the name once, refuses private and reserved
 * addresses of both families, and connects to the checked address. There are no redirects and no proxies.
 */
export function createSender({ rules, timeoutMs, resolve }: SenderOptions) {
  const settings = { allowH2: false, timeout: timeoutMs };
  const [connect, connectGuarded] = [
    buildConnector(settings),
    buildConnector({ ...settings, lookup: guardLookup(resolve) }),
  ];
  const connections = new Agent({
    allowH2: false,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: 16_384,
    connect(target, callback) {
      const host = target.hostname.replace(/^\[|\]$/g, '');
      if (rules.allowsLoopback && isLoopbackName(target.hostname)) return connect(target, callback);
      // An address needs no lookup, so the guarded lookup would not check it.
      if (isIP(host) !== 0 && isPrivateAddress(host)) return callback(refuseAddress(host), null);
      return connectGuarded(target, callback);
    },
  });
  // Called when a request is about to be written to its connection. TLS is established before.
  const agent = connections.compose((dispatch) => (options, handler) => {
    const start = handler.onRequestStart;
    handler.onRequestStart = (...given) => {
      (options as SendOptions).onSent();
      start?.apply(handler, given);
    };
    return dispatch(options, handler);
  });

  return {
    async send(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
      const started = performance.now();
      const tookMs = () => Math.round(performance.now() - started);
      // A separate controller, because `AbortSignal.any` takes longer than signing.
      const ended = new AbortController();
      let [isLate, isSent] = [false, false];
      const onSent = () => {
        isSent = true;
      };
      const end = () => ended.abort();
      const timer = setTimeout(() => {
        isLate = true;
        end();
      }, timeoutMs);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
      try {
        const options = { dispatcher: agent, method: 'POST', headers, body, signal: ended.signal, onSent };
        // The rules may have changed since the endpoint was created.
        const reply = await request(validateTarget(url, rules), options as Parameters<typeof request>[1]);
        const retryAfter = reply.headers['retry-after'];
        return {
          isSent: true,
          status: reply.statusCode,
          reason: null,
          body: await readStart(reply.body),
          retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
          tookMs: tookMs(),
        };
      } catch (error) {
        const reason = isLate ? `no response within ${timeoutMs / 1_000} seconds` : describeError(error);
        return { isSent, status: null, reason, body: '', retryAfter: null, tookMs: tookMs() };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      }
    },
    close: (): Promise<void> => connections.destroy(),
  };
}

interface SendOptions extends Dispatcher.DispatchOptions {
  readonly onSent: () => void;
}

/** Reads the start of the body. The status alone decides, so a body that does not arrive changes nothing. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= MAX_BODY_BYTES) break;
    }
  } catch {
    // The part that has arrived is shown.
  }
  return toStorable(Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('utf8'));
}

/** The reasons that owners of endpoints see most. For others, the message of the error is clear enough. */
const REASONS: Readonly<Record<string, string>> = {
  [PRIVATE_ADDRESS]: 'the host name leads to a private or reserved address',
  ENOTFOUND: 'the host name was not found',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response',
  EPIPE: 'the connection was closed before the response',
  UND_ERR_SOCKET: 'the connection was closed before the response',
};

function describeError(error: unknown): string {
  const code = String(Reflect.get(Object(error), 'code') ?? '');
  const known = REASONS[code];
  if (known !== undefined) return known;
  if (/CERT|TLS|SSL|ALTNAME/.test(code)) return `the certificate or TLS connection was refused (${code})`;
  return error instanceof Error ? error.message.slice(0, 200) : 'the request failed';
}

export interface DeliveryOutcome {
  /** `gone`: the receiver does not want webhooks any more. */
  readonly kind: 'delivered' | 'retry' | 'gone' | 'exhausted';
  readonly nextAt: number;
  /** The end of a pause that the receiver asked for, in which it gets no requests. 0 if there is no pause. */
  readonly pausedUntil: number;
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** The pauses after each failed attempt. The attempt after the last pause is the tenth and last: together a little more than three days. */
export const PAUSES: readonly number[] = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR),
];
export const MAX_ATTEMPTS = PAUSES.length + 1;
const MAX_PAUSE = 24 * HOUR;

/** Decides what an answer means. `attempts` includes this attempt. */
export function judgeAnswer({ status, retryAfter }: Answer, attempts: number, now: number): DeliveryOutcome {
  const none = { nextAt: now, pausedUntil: 0 };
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered', ...none };
  if (status === 410) return { kind: 'gone', ...none };
  const pause = PAUSES[attempts - 1];
  if (pause === undefined) return { kind: 'exhausted', ...none };
  const given = status === 429 || status === 503 ? parseRetryAfter(retryAfter, now) : undefined;
  const asked = Math.min(MAX_PAUSE, given ?? 0);
  return { kind: 'retry', nextAt: now + Math.max(pause, asked), pausedUntil: given === undefined ? 0 : now + asked };
}

export interface TargetRules {
  readonly ports: readonly number[];
  /** Whether http to this machine is allowed, on any port, as in the demo. */
  readonly allowsLoopback: boolean;
}

const MAX_LENGTH = 2_000;

/** Checks the address of an endpoint, and throws `invalid_request` with what to change. Names are checked when they are resolved. */
export function validateTarget(text: string, { ports, allowsLoopback }: TargetRules): URL {
  const url = text.length > MAX_LENGTH || /[\s\\\p{Cc}]|^$/u.test(text) ? null : URL.parse(text);
  if (url === null) throw reject('is not a valid address: write it in full, such as https://example.com/hooks.');
  if (url.username !== '' || url.password !== '') {
    throw reject('has a user name or password: remove it, and check the signature instead.');
  }
  if (url.hash !== '') throw reject('has a fragment, which is never sent: remove it.');
  if (allowsLoopback && isLoopbackName(url.hostname) && /^https?:$/.test(url.protocol)) return url;
  if (url.protocol !== 'https:') throw reject('must start with https://.');
  const port = Number(url.port || 443);
  if (!ports.includes(port)) throw reject(`has port ${port}: use ${ports.join(' or ')}.`);
  if (isLocal(url.hostname))
    throw reject('leads to a private or reserved address: use one that the internet can reach.');
  return url;
}

/** The parser has already converted every form of an IP address to the usual form. */
function isLocal(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return isLoopbackName(name) || isPrivateAddress(name.replace(/^\[|\]$/g, '')) || !/[.:]/.test(name);
}

function reject(problem: string) {
  return fail('invalid_request', { message: `The url ${problem}`, field: 'url' });
}
