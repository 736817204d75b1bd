import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isLoopbackName, readHostName } from './core/site.ts';

/**
 * Turns the environment into one frozen, validated Config. No other file reads the environment. A test compares the
 * variables declared here with `.env.example`.
 */
export interface Config {
  readonly demo: boolean;
  readonly host: string;
  readonly port: number;
  /** The address that clients use, without a trailing slash: the base of every link we send. The address we listen on if
   *  undefined. */
  readonly publicUrl: string | undefined;
  /** More host names under which browsers may open pages and use accounts, besides that of `publicUrl`. */
  readonly allowedHosts: readonly string[];
  /** Proxies whose `X-Forwarded-*` headers are trusted: addresses and networks, or how many there are in a row. */
  readonly trustedProxies: readonly string[] | number;
  /** Origins whose pages may read data responses in a browser. */
  readonly corsOrigins: readonly string[];
  readonly dataDir: string;
  /** PostgreSQL; SQLite in `dataDir` if undefined. */
  readonly databaseUrl: string | undefined;
  /** A streaming replica of that database, for reading records. */
  readonly replicaUrl: string | undefined;
  readonly searchEngine: 'memory' | 'postgres';
  /** Serving threads. By default one per core; always one in the demo. */
  readonly workers: number;
  readonly oidc: {
    readonly issuer: string | undefined;
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
    readonly audience: string | undefined;
  };
  readonly stripe: {
    readonly secretKey: string | undefined;
    /** More than one while a secret is being rotated. */
    readonly webhookSecrets: readonly string[];
    /** Price ids per plan. The first one is sold, all of them are recognized. */
    readonly prices: { readonly pro: readonly string[]; readonly business: readonly string[] };
    readonly apiUrl: string | undefined;
  };
  /** How many days payloads of payment events are kept. */
  readonly webhookDays: number;
  /** How many days a renewal may be late before the payment provider is asked about it. */
  readonly billingGraceDays: number;
  readonly adminPort: number;
  readonly logLevel: LogLevel;
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** Every variable with its default as text; null means "not set". */
export const variables = {
  HOST: '127.0.0.1',
  PORT: '3000',
  PUBLIC_URL: null,
  ALLOWED_HOSTS: null,
  TRUST_PROXY: null,
  CORS_ORIGINS: null,
  DATA_DIR: './data',
  DATABASE_URL: null,
  DATABASE_REPLICA_URL: null,
  SEARCH_ENGINE: 'memory',
  WORKERS: null,
  OIDC_ISSUER: null,
  OIDC_CLIENT_ID: null,
  OIDC_CLIENT_SECRET: null,
  OIDC_AUDIENCE: null,
  STRIPE_SECRET_KEY: null,
  STRIPE_WEBHOOK_SECRET: null,
  STRIPE_PRICE_PRO: null,
  STRIPE_PRICE_BUSINESS: null,
  STRIPE_API_URL: null,
  WEBHOOK_DAYS: '90',
  BILLING_GRACE_DAYS: '3',
  ADMIN_PORT: '9464',
  LOG_LEVEL: 'info',
} as const satisfies Record<string, string | null>;

type Variable = keyof typeof variables;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The message is one sentence for the operator. It names the variable and the fix, and never contains a secret. */
export class ConfigError extends Error {}

/** The environment of the process, plus variables from `./.env` if that file exists. */
export function readEnvironment(): Environment {
  const file = resolve('.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...process.env } : process.env;
}

/** `localhost` means two addresses, and Fastify would listen on the second one with a server that none of our limits reach. */
const readHost = (name: string) => (name === 'localhost' ? '127.0.0.1' : name);

export function readConfig(environment: Environment, { demo = false } = {}): Config {
  const text = (name: Variable): string | undefined => environment[name]?.trim() || (variables[name] ?? undefined);
  const list = (name: Variable): string[] => (text(name) ?? '').split(',').flatMap((part) => part.trim() || []);
  const required = (name: Variable): string => text(name) ?? reject(name, 'is not set: give it a value');

  const host = readHost(required('HOST'));
  if (demo && !isLoopback(host)) {
    reject('HOST', `is ${host}, but the demo has a public key and no real sign-in: use 127.0.0.1 or leave out --demo`);
  }
  const port = wholeNumber('PORT', required('PORT'), 0, 65_535);
  const databaseUrl = checkedUrl('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:']);
  const replicaUrl = checkedUrl('DATABASE_REPLICA_URL', text('DATABASE_REPLICA_URL'), ['postgres:', 'postgresql:']);
  if (replicaUrl !== undefined && databaseUrl === undefined) {
    reject(
      'DATABASE_REPLICA_URL',
      'is set, but DATABASE_URL is not: set DATABASE_URL to the primary, or remove DATABASE_REPLICA_URL',
    );
  }
  const searchEngine = oneOf('SEARCH_ENGINE', required('SEARCH_ENGINE'), ['memory', 'postgres']);
  if (searchEngine === 'postgres' && databaseUrl === undefined) {
    reject('SEARCH_ENGINE', 'is postgres, which needs DATABASE_URL: set it, or use SEARCH_ENGINE=memory');
  }
  const workers = text('WORKERS');
  if (demo && workers !== undefined && workers !== '1') {
    reject('WORKERS', `is ${workers}, but the demo runs in one thread: remove it, or leave out --demo`);
  }
  const publicUrl = checkedUrl('PUBLIC_URL', text('PUBLIC_URL'), ['http:', 'https:']);
  if (demo && publicUrl !== undefined && !isLoopback(new URL(publicUrl).hostname)) {
    reject(
      'PUBLIC_URL',
      'is not on this machine, but the demo answers loopback names only: remove it, or leave out --demo',
    );
  }
  const allowedHosts = list('ALLOWED_HOSTS').map(checkHostName);
  if (demo && allowedHosts.length > 0) {
    reject('ALLOWED_HOSTS', 'is set, but the demo answers loopback names only: remove it, or leave out --demo');
  }
  const issuer = checkedUrl('OIDC_ISSUER', text('OIDC_ISSUER'), ['https:', 'http:']);
  if (issuer !== undefined && text('OIDC_CLIENT_ID') === undefined && text('OIDC_AUDIENCE') === undefined) {
    reject('OIDC_CLIENT_ID', 'is not set, but OIDC_ISSUER is: set it, or OIDC_AUDIENCE to accept session tokens only');
  }
  const prices = { pro: list('STRIPE_PRICE_PRO'), business: list('STRIPE_PRICE_BUSINESS') };
  const sharedPrice = prices.pro.find((price) => prices.business.includes(price));
  if (sharedPrice !== undefined) {
    reject(
      'STRIPE_PRICE_BUSINESS',
      `contains ${sharedPrice}, which STRIPE_PRICE_PRO contains too: use a different price for each plan`,
    );
  }

  return deepFreeze<Config>({
    demo,
    host,
    port,
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    allowedHosts,
    trustedProxies: readProxies(list('TRUST_PROXY')),
    corsOrigins: list('CORS_ORIGINS').map(checkOrigin),
    dataDir: resolve(required('DATA_DIR')),
    databaseUrl,
    replicaUrl,
    searchEngine,
    workers: demo ? 1 : wholeNumber('WORKERS', workers ?? String(Math.min(256, availableParallelism())), 1, 256),
    oidc: {
      issuer,
      clientId: text('OIDC_CLIENT_ID'),
      clientSecret: text('OIDC_CLIENT_SECRET'),
      audience: text('OIDC_AUDIENCE'),
    },
    stripe: {
      secretKey: text('STRIPE_SECRET_KEY'),
      webhookSecrets: list('STRIPE_WEBHOOK_SECRET'),
      prices,
      apiUrl: checkedUrl('STRIPE_API_URL', text('STRIPE_API_URL'), ['https:', 'http:']),
    },
    webhookDays: wholeNumber('WEBHOOK_DAYS', required('WEBHOOK_DAYS'), 1, 36_500),
    billingGraceDays: wholeNumber('BILLING_GRACE_DAYS', required('BILLING_GRACE_DAYS'), 0, 365),
    adminPort: wholeNumber('ADMIN_PORT', required('ADMIN_PORT'), 0, 65_535),
    logLevel: oneOf('LOG_LEVEL', required('LOG_LEVEL'), logLevels),
  });
}

function isLoopback(host: string): boolean {
  return host === '::1' || isLoopbackName(host.toLowerCase());
}

function reject(name: Variable, sentence: string): never {
  throw new ConfigError(`${name} ${sentence}.`);
}

function wholeNumber(name: Variable, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  return reject(name, `is "${text}": use a whole number from ${min} to ${max}`);
}

function readProxies(parts: readonly string[]): readonly string[] | number {
  const [first = ''] = parts;
  if (parts.length === 1 && /^\d+$/.test(first)) return wholeNumber('TRUST_PROXY', first, 0, 16);
  const wrong = parts.find((part) => !isNetwork(part));
  if (wrong === undefined) return parts;
  return reject(
    'TRUST_PROXY',
    `contains "${wrong}": use addresses or networks, such as 10.0.0.1 or 10.0.0.0/8, or the number of proxies`,
  );
}

/** An IP address, or a network. A prefix length of 0 would trust every client, so that anyone could forge an address. */
function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const bits = isIP(address) === 6 ? 128 : 32;
  const length = Number(prefix ?? bits);
  return isIP(address) !== 0 && length >= 1 && length <= bits;
}

/** A name or address without port, in the form that browsers send. Wildcards are not supported. */
function checkHostName(text: string): string {
  const url = URL.parse(`http://${text}`);
  const isName = url !== null && url.href === `http://${url.hostname}/` && !/[*/\\]|:\d*$/.test(text);
  if (isName) return readHostName(url.hostname);
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

function oneOf<T extends string>(name: Variable, text: string, allowed: readonly T[]): T {
  return allowed.find((value) => value === text) ?? reject(name, `is "${text}": use one of ${allowed.join(', ')}`);
}

/** The error does not repeat the value, because an address may contain a password. If https comes first in `protocols`,
 *  plain http is allowed only for this machine. */
function checkedUrl(name: Variable, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const example = `${protocols[0]}//…`;
  const url = URL.parse(text) ?? reject(name, `is not a valid address: write it in full, such as ${example}`);
  if (!protocols.includes(url.protocol)) reject(name, `has the wrong scheme: it must start with ${example}`);
  if (url.protocol === 'http:' && protocols[0] === 'https:' && !isLoopback(url.hostname)) {
    reject(name, `would send secrets over plain http to another machine: it must start with ${example}`);
  }
  return text;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}

/** The version of this program, from package.json. */
export const version: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
