import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isLoopbackName } from '../../base/site.ts';
import { guardLookup, isPrivateAddress, PRIVATE_ADDRESS } from '../../base/system/addresses.ts';
import type { FetchLimits } from './attempts.ts';
import { SourceProblem, showAddress, toProblem } from './problem.ts';

/** Proxies as in the usual environment variables; an empty text means none. */
export interface ProxySettings {
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached directly, separated by commas. */
  readonly except: string;
}

interface ClientOptions {
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  readonly limits: FetchLimits;
}

export interface Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

export type Client = ReturnType<typeof createClient>;

const LOOPBACK = 'localhost,127.0.0.1,::1';
const MAX_REDIRECTS = 5;

/**
 * Makes requests to publishers: one connection per host, redirects with rules, no retries. The origins (scheme, host and port) that the
 * operator named for a register are trusted: they may have private addresses.
 */
export function createClient({ proxies, userAgent, limits }: ClientOptions, trusted: ReadonlySet<string>) {
  // A download must not share its connection, and a reset must end only one of them.
  const settings = { allowH2: false, timeout: limits.idleMs };
  const [connect, connectGuarded] = [buildConnector(settings), buildConnector({ ...settings, lookup: guardLookup() })];
  const agent = new EnvHttpProxyAgent({
    httpProxy: proxies.http,
    httpsProxy: proxies.https,
    noProxy: `${LOOPBACK},${proxies.except}`,
    connections: 1,
    allowH2: false,
    headersTimeout: limits.responseMs,
    // The download watches its own progress: a body that arrives byte by byte would never exceed this limit.
    bodyTimeout: 0,
    // To a proxy.
    connectTimeout: limits.idleMs,
    connect: (target, callback) => (trusted.has(originOf(target)) ? connect : connectGuarded)(target, callback),
  });

  async function get(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    let current = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      requirePublic(current, trusted);
      const response = await send(agent, current, { 'user-agent': userAgent, ...headers }, signal);
      const { location } = response.headers;
      if (!isRedirect(response.statusCode) || typeof location !== 'string') {
        return { status: response.statusCode, headers: response.headers, body: response.body };
      }
      await response.body.dump();
      current = resolveRedirect(current, location);
    }
    throw new SourceProblem(`${showAddress(url)} redirects more than ${MAX_REDIRECTS} times`, 'moved');
  }

  return { get, [Symbol.asyncDispose]: () => agent.destroy() };
}

async function send(
  dispatcher: Dispatcher,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  try {
    return await request(url, { dispatcher, headers, signal });
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === PRIVATE_ADDRESS) throw refusePrivate(url);
    throw toProblem(error, url);
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function resolveRedirect(from: URL, location: string): URL {
  const to = URL.parse(location, from.href);
  if (to === null || (to.protocol !== 'https:' && to.protocol !== 'http:')) {
    throw new SourceProblem(`${showAddress(from)} redirects to an invalid address`, 'moved');
  }
  // Anyone who can change plain http traffic could replace the file.
  const isDowngrade = from.protocol === 'https:' && to.protocol === 'http:';
  if (isDowngrade) throw new SourceProblem(`${showAddress(from)} redirects from https to plain http`, 'moved');
  return to;
}

function originOf({ protocol, hostname, port }: buildConnector.Options): string {
  return `${protocol}//${hostname}${port === '' ? '' : `:${port}`}`;
}

/** Names are checked when they are resolved. Behind a proxy, the proxy resolves them. */
function requirePublic(url: URL, trusted: ReadonlySet<string>): void {
  const isLocal = isLoopbackName(url.hostname);
  const isPrivate = isLocal || isPrivateAddress(url.hostname.replace(/^\[|\]$/g, ''));
  if (isPrivate && !trusted.has(url.origin)) throw refusePrivate(url);
  if (url.protocol !== 'https:' && !isLocal) {
    throw new SourceProblem(`${showAddress(url)} is plain http, which anyone on the way can change`, 'moved');
  }
}

function refusePrivate(url: URL): SourceProblem {
  return new SourceProblem(`${url.host} is an address of a private network, where no publisher is`, 'moved');
}
