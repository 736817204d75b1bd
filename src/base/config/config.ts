import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { exportFormats } from '../export-formats.ts';
import { DEFAULT_PARTY_MODES, type PartyMode, type PartyModes, partyModes } from '../party-modes.ts';
import { isNetwork } from '../requests/networks.ts';
import { isLoopbackHost, parseHostName } from '../site.ts';
import { multiplyLimits } from '../system/time-limits.ts';
import { parseUpdateTimes } from './update-times.ts';

/** Turns the environment into one frozen, validated Config. No other file reads the environment. A test compares it with `.env.example`. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the process, plus variables from `./.env` if that file exists. */
export function readEnvironment(): Environment {
  const file = resolve('.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...process.env } : process.env;
}

export function readConfig(environment: Environment, { demo = false } = {}) {
  const find = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const text = (name: string, standard: string): string => find(name) ?? standard;
  const list = (name: string): string[] =>
    text(name, '')
      .split(',')
      .flatMap((part) => part.trim() || []);
  const number = (name: string, standard: number, min: number, max: number) =>
    wholeNumber(name, text(name, String(standard)), min, max);
  const url = (name: string, protocols: readonly string[]) => checkedUrl(name, find(name), protocols);
  /** Rejects settings that the demo does not allow, because it has a public key and no real sign-in. */
  const refuseInDemo = (name: string, isWrong: boolean, reason: string) => {
    if (demo && isWrong) reject(name, `${reason}: remove it, or leave out --demo`);
  };

  // `localhost` can mean two addresses, and the server listens on one of them.
  const host = text('HOST', '127.0.0.1').replace(/^localhost$/, '127.0.0.1');
  if (demo && !isLoopbackHost(host)) {
    reject('HOST', `is ${host}, but the demo has a public key and no real sign-in: use 127.0.0.1 or leave out --demo`);
  }
  const dataDir = resolve(text('DATA_DIR', './data'));
  const databaseUrl = url('DATABASE_URL', POSTGRES);
  const replicaUrl = url('DATABASE_REPLICA_URL', POSTGRES);
  if (replicaUrl !== undefined && databaseUrl === undefined) {
    reject('DATABASE_REPLICA_URL', 'is set, but DATABASE_URL is not: set it to the primary, or remove this variable');
  }
  if (find('SEARCH_ENGINE') === 'postgres') {
    reject('SEARCH_ENGINE', 'is postgres, which is not a search engine any more: use memory or clickhouse');
  }
  const searchEngine = oneOf('SEARCH_ENGINE', text('SEARCH_ENGINE', 'memory'), ['memory', 'clickhouse']);
  const workers = text('WORKERS', String(demo ? 1 : Math.min(256, availableParallelism())));
  refuseInDemo('WORKERS', workers !== '1', `is ${workers}, but the demo runs in one thread`);
  const publicUrl = url('PUBLIC_URL', WEB);
  const isElsewhere = publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname);
  refuseInDemo('PUBLIC_URL', isElsewhere, 'is elsewhere, but the demo answers loopback names only');
  const allowedHosts = list('ALLOWED_HOSTS').map(checkHostName);
  refuseInDemo('ALLOWED_HOSTS', allowedHosts.length > 0, 'is set, but the demo answers loopback names only');
  const update = find('UPDATE') === 'off' ? undefined : find('UPDATE');
  refuseInDemo('UPDATE', update !== undefined, 'is set, but the demo has only sample data');
  if (update !== undefined && parseUpdateTimes(update) === undefined) {
    reject('UPDATE', `is "${update}": use daily@03:00, a cron expression such as "0 3 * * 1-5", or off`);
  }
  const prices = { pro: list('STRIPE_PRICE_PRO'), business: list('STRIPE_PRICE_BUSINESS') };
  const sharedPrice = prices.pro.find((price) => prices.business.includes(price));
  if (sharedPrice !== undefined) {
    reject('STRIPE_PRICE_BUSINESS', `contains ${sharedPrice} of STRIPE_PRICE_PRO: use a different price for each plan`);
  }

  /** Undefined if no provider is configured. Without OIDC_AUDIENCE, tokens must be issued for our client id. */
  function parseIssuer() {
    const [issuer, clientId] = [url('OIDC_ISSUER', SAFE), find('OIDC_CLIENT_ID')];
    if (issuer === undefined) return undefined;
    const audience = find('OIDC_AUDIENCE') ?? clientId;
    if (audience !== undefined) return { issuer, clientId, clientSecret: find('OIDC_CLIENT_SECRET'), audience };
    return reject('OIDC_CLIENT_ID', 'is not set, but OIDC_ISSUER is: set it, or OIDC_AUDIENCE for session tokens only');
  }

  return deepFreeze({
    demo,
    host,
    port: number('PORT', 3000, 0, 65_535),
    /** The base of every link we send, without a trailing slash. If undefined, links use the address that the server listens on. */
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    /** Host names besides that of `publicUrl` under which browsers may open pages and use accounts. */
    allowedHosts,
    /** Proxies whose `X-Forwarded-*` headers are trusted: addresses and networks, or the number of proxies in a row. */
    trustedProxies: parseProxies(list('TRUST_PROXY')),
    corsOrigins: list('CORS_ORIGINS').map(checkOrigin),
    dataDir,
    databaseUrl,
    replicaUrl,
    searchEngine,
    /** The address of ClickHouse. Undefined unless ClickHouse is the search engine. */
    clickhouse: searchEngine === 'clickhouse' ? parseClickhouse(find('CLICKHOUSE_URL')) : undefined,
    /** The number of serving threads. By default one per core; always one in the demo. */
    workers: wholeNumber('WORKERS', workers, 1, 256),
    oidc: parseIssuer(),
    stripe: {
      secretKey: find('STRIPE_SECRET_KEY'),
      /** There are two secrets while one is being rotated. */
      webhookSecrets: list('STRIPE_WEBHOOK_SECRET'),
      /** Price ids per plan. The first id of a plan is sold, all of them are recognized. */
      prices,
      apiUrl: url('STRIPE_API_URL', SAFE),
    },
    /** Keys that encrypt the secrets of webhook endpoints, in base64; the first one encrypts. Without a key, webhooks are disabled. */
    webhookKeys: parseWebhookKeys(list('WEBHOOK_KEY'), demo),
    /** The server and sender of e-mail alerts. Undefined if alerts are disabled. */
    mail: readMail(url('SMTP_URL', ['smtps:', 'smtp:']), find('MAIL_FROM')),
    journalDays: number('JOURNAL_DAYS', 400, 1, 36_500),
    webhookDays: number('WEBHOOK_DAYS', 90, 1, 36_500),
    timeLimits: multiplyLimits(number('PATIENCE', 1, 1, 100)),
    operator: {
      termsUrl: url('TERMS_URL', WEB),
      privacyUrl: url('PRIVACY_URL', WEB),
      contactEmail: checkEmail(find('CONTACT_EMAIL')),
      crawlers: oneOf('CRAWLERS', text('CRAWLERS', 'pages'), ['pages', 'none']),
    },
    adminPort: number('ADMIN_PORT', 9464, 0, 65_535),
    logLevel: oneOf('LOG_LEVEL', text('LOG_LEVEL', 'info'), logLevels),
    parties: parsePartyModes(list('PARTIES')),
    /** When `serve` updates registers, parsed by `parseUpdateTimes`. Undefined if updates are disabled. */
    update,
    fetch: {
      /** A JSON file with addresses that replace the addresses in the manifests of the registers. */
      sourcesFile: find('FETCH_SOURCES'),
      keep: number('KEEP_SOURCES', 2, 1, 1_000),
      /** An empty text means no proxy. */
      proxies: {
        http: parseProxy('HTTP_PROXY', environment),
        https: parseProxy('HTTPS_PROXY', environment),
        except: environment.no_proxy ?? environment.NO_PROXY ?? '',
      },
    },
    exports: {
      folder: resolve(text('EXPORT_DIR', join(dataDir, 'exports'))),
      formats: list('EXPORT_FORMATS').map((format) => oneOf('EXPORT_FORMATS', format, exportFormats)),
      /** The base of the addresses that downloads are redirected to, without a trailing slash. */
      baseUrl: url('EXPORT_BASE_URL', SAFE)?.replace(/\/+$/, ''),
    },
  });
}

const POSTGRES = ['postgres:', 'postgresql:'];
const WEB = ['http:', 'https:'];
/** Plain http is allowed only for this machine: see `checkedUrl`. */
const SAFE = ['https:', 'http:'];

/** The service that `firmament mcp` uses, and the user's key for this service. Not part of Config, because a server needs neither. */
export function parseRemoteService(environment: Environment): { readonly url: string; readonly key: string } {
  const address = environment.FIRMAMENT_URL?.trim() || 'http://127.0.0.1:3000';
  const url = checkedUrl('FIRMAMENT_URL', address, SAFE)?.replace(/\/+$/, '') ?? '';
  const { username, password, search, hash } = new URL(url);
  if (username || password || search || hash) {
    reject('FIRMAMENT_URL', 'has a user name or a query: write only the address, such as https://api.example.com');
  }
  const key =
    environment.FIRMAMENT_KEY?.trim() ||
    reject('FIRMAMENT_KEY', `is not set: create an API key at ${url}/dashboard and set it`);
  if (!/^[!-~]+$/.test(key)) reject('FIRMAMENT_KEY', 'is not an API key: copy it again, without spaces');
  return { url, key };
}

export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version;

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

/** The message is one sentence for the operator. The sentence names the variable and the fix, and never contains a secret. */
export class ConfigError extends Error {}

export function reject(name: string, sentence: string): never {
  throw new ConfigError(`${name} ${sentence}.`);
}

/** The lower-case variable comes first, as in other programs. The error does not repeat a password. */
function parseProxy(name: 'HTTP_PROXY' | 'HTTPS_PROXY', environment: Readonly<Record<string, string | undefined>>) {
  const text = (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();
  if (text === '' || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  return reject(name, 'is not a valid address: write it in full, such as http://proxy.example.com:3128');
}

function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  return reject(name, `is "${text}": use a whole number from ${min} to ${max}`);
}

function parseProxies(parts: readonly string[]): readonly string[] | number {
  const [first = ''] = parts;
  if (parts.length === 1 && /^\d+$/.test(first)) return wholeNumber('TRUST_PROXY', first, 0, 16);
  const wrong = parts.find((part) => !isNetwork(part));
  if (wrong === undefined) return parts;
  return reject(
    'TRUST_PROXY',
    `contains "${wrong}": use addresses or networks, such as 10.0.0.1 or 10.0.0.0/8, or the number of proxies`,
  );
}

/** Anyone can read the data of the demo, so its key is not secret. The key is constant, so that secrets can be decrypted after a restart. */
const DEMO_KEY = Buffer.alloc(32, 'demo').toString('base64');

function parseWebhookKeys(keys: readonly string[], demo: boolean): readonly string[] {
  if (demo && keys.length === 0) return [DEMO_KEY];
  const isKey = (key: string) => /^[A-Za-z0-9+/]{43}=$/.test(key);
  if (keys.every(isKey)) return keys;
  return reject('WEBHOOK_KEY', 'is not 32 bytes in base64: make one with "openssl rand -base64 32"');
}

function checkEmail(text: string | undefined): string | undefined {
  if (text === undefined || /^[^\s@<>"?&]+@[^\s@<>"?&]+$/.test(text)) return text;
  return reject('CONTACT_EMAIL', `is "${text}": use an address such as support@example.com`);
}

/** With `smtp`, the connection is encrypted too, except to this machine. */
function readMail(url: string | undefined, from: string | undefined) {
  if (url === undefined) return undefined;
  if (from === undefined)
    return reject('MAIL_FROM', 'is not set, but SMTP_URL is: set the address that e-mails come from');
  if (/^(?:[^\s@<>]+@[^\s@<>]+|[^@<>\p{Cc}]+ <[^\s@<>]+@[^\s@<>]+>)$/u.test(from)) return { url, from };
  return reject('MAIL_FROM', `is "${from}": use an address such as "Firmament <alerts@example.com>"`);
}

/** A name or address without port, in the form that browsers send. Wildcards are not supported. */
function checkHostName(text: string): string {
  const url = URL.parse(`http://${text}`);
  const isName = url !== null && url.href === `http://${url.hostname}/` && !/[*/\\]|:\d*$/.test(text);
  if (isName) return parseHostName(url.hostname);
  return reject('ALLOWED_HOSTS', `contains "${text}": use host names without scheme and port, such as api.example.com`);
}

/** The origin must be written as browsers send it, because it is compared with the `Origin` header as text. */
function checkOrigin(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.origin === text) return text;
  const example = isWeb ? url.origin : 'https://app.example.com';
  return reject('CORS_ORIGINS', `contains "${text}", which is not an origin: write it as ${example}, without a path`);
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  return allowed.find((value) => value === text) ?? reject(name, `is "${text}": use one of ${allowed.join(', ')}`);
}

/** The error does not repeat the value, because an address may contain a password. If https comes first in `protocols`,
 *  plain http is allowed only for this machine. */
function checkedUrl(name: string, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const example = `${protocols[0]}//…`;
  const url = URL.parse(text) ?? reject(name, `is not a valid address: write it in full, such as ${example}`);
  if (!protocols.includes(url.protocol)) reject(name, `has the wrong scheme: it must start with ${example}`);
  if (url.protocol === 'http:' && protocols[0] === 'https:' && !isLoopbackHost(url.hostname)) {
    reject(name, `would send secrets over plain http to another machine: it must start with ${example}`);
  }
  return text;
}

/** Several nodes are written with commas, as in `https://user:password@node1:8443,node2:8443/database`. The error does not repeat a password. */
export function parseClickhouse(text: string | undefined) {
  const name = 'CLICKHOUSE_URL';
  const example = 'https://user:password@node1:8443,node2:8443/firmament';
  if (text === undefined) return reject(name, `is not set, but SEARCH_ENGINE is clickhouse: use ${example}`);
  const parts = /^(https?:\/\/)(?:([^@/]*)@)?([^@/?#]+)(?:\/(\w*))?$/.exec(text);
  const [, scheme = '', secrets = '', nodes = '', database] = parts ?? reject(name, `is not valid: use ${example}`);
  const [user = '', password = ''] = secrets.split(/:(.*)/s).map(decodeEscapes);
  const hosts = nodes.split(',').map((node) => {
    const host = checkedUrl(name, `${scheme}${node.trim()}`, SAFE) ?? '';
    return new URL(host).origin;
  });
  return { hosts, user: user || 'default', password, database: database || 'firmament' };
}

function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return reject('CLICKHOUSE_URL', 'has a user name or password that is not valid: write % as %25');
  }
}

export function parsePartyModes(parts: readonly string[]): PartyModes {
  const exceptions: Record<string, PartyMode> = {};
  let { all } = DEFAULT_PARTY_MODES;
  for (const part of parts) {
    const [, register, mode = part] = /^([a-z]+(?:-[a-z]+)?(?:\/[a-z_]+)?)=(.*)$/.exec(part) ?? [];
    const read = oneOf('PARTIES', mode, partyModes);
    if (register === undefined) all = read;
    else exceptions[register] = read;
  }
  return { all, exceptions };
}
