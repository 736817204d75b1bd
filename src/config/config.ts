import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isLoopbackHost } from '../core/site.ts';
import { exportFormats } from '../exports/manifest.ts';
import { multiplyLimits } from '../system/time-limits.ts';
import {
  checkEmail,
  checkedUrl,
  checkHostName,
  checkOrigin,
  oneOf,
  readClickhouse,
  readPartyModes,
  readProxies,
  readProxy,
  readWebhookKeys,
  reject,
  wholeNumber,
} from './config-values.ts';
import { readUpdateTimes } from './update-times.ts';

/**
 * Turns the environment into one frozen, validated Config. No other file reads the environment. A test compares the
 * variables declared here with `.env.example`.
 */
export type Config = Readonly<ReturnType<typeof readConfig>>;

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

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
  CLICKHOUSE_URL: null,
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
  JOURNAL_DAYS: '400',
  WEBHOOK_DAYS: '90',
  WEBHOOK_KEY: null,
  PATIENCE: '1',
  TERMS_URL: null,
  PRIVACY_URL: null,
  CONTACT_EMAIL: null,
  ADMIN_PORT: '9464',
  LOG_LEVEL: 'info',
  PARTIES: 'names',
  UPDATE: 'off',
  FETCH_SOURCES: null,
  KEEP_SOURCES: '2',
  EXPORT_DIR: null,
  KEEP_EXPORTS: '2',
  EXPORT_FORMATS: null,
  EXPORT_BASE_URL: null,
  FIRMAMENT_URL: 'http://127.0.0.1:3000',
  FIRMAMENT_KEY: null,
  HTTPS_PROXY: null,
  HTTP_PROXY: null,
  NO_PROXY: null,
} as const satisfies Record<string, string | null>;

type Variable = keyof typeof variables;
type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of the process, plus variables from `./.env` if that file exists. */
export function readEnvironment(): Environment {
  const file = resolve('.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...process.env } : process.env;
}

/** `localhost` can mean two addresses, and the server listens on one. */
const readHost = (name: string) => (name === 'localhost' ? '127.0.0.1' : name);

export function readConfig(environment: Environment, { demo = false } = {}) {
  const text = (name: Variable): string | undefined => environment[name]?.trim() || (variables[name] ?? undefined);
  const list = (name: Variable): string[] => (text(name) ?? '').split(',').flatMap((part) => part.trim() || []);
  const required = (name: Variable): string => text(name) ?? reject(name, 'is not set: give it a value');

  const host = readHost(required('HOST'));
  if (demo && !isLoopbackHost(host)) {
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
  if (text('SEARCH_ENGINE') === 'postgres') {
    reject(
      'SEARCH_ENGINE',
      'is postgres, which is not a search engine any more: use memory, or clickhouse past one machine',
    );
  }
  const searchEngine = oneOf('SEARCH_ENGINE', required('SEARCH_ENGINE'), ['memory', 'clickhouse']);
  const clickhouse = searchEngine === 'clickhouse' ? readClickhouse(text('CLICKHOUSE_URL')) : undefined;
  const workers = text('WORKERS');
  if (demo && workers !== undefined && workers !== '1') {
    reject('WORKERS', `is ${workers}, but the demo runs in one thread: remove it, or leave out --demo`);
  }
  const publicUrl = checkedUrl('PUBLIC_URL', text('PUBLIC_URL'), ['http:', 'https:']);
  if (demo && publicUrl !== undefined && !isLoopbackHost(new URL(publicUrl).hostname)) {
    reject('PUBLIC_URL', 'is elsewhere, but the demo answers loopback names only: remove it, or leave out --demo');
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

  return deepFreeze({
    demo,
    host,
    port,
    /** The address that clients use, without a trailing slash: the base of every link we send. Undefined: the address we listen on. */
    publicUrl: publicUrl?.replace(/\/+$/, ''),
    /** More host names under which browsers may open pages and use accounts, besides that of `publicUrl`. */
    allowedHosts,
    /** Proxies whose `X-Forwarded-*` headers are trusted: addresses and networks, or how many there are in a row. */
    trustedProxies: readProxies(list('TRUST_PROXY')),
    /** Origins whose pages may read data responses in a browser. */
    corsOrigins: list('CORS_ORIGINS').map(checkOrigin),
    dataDir: resolve(required('DATA_DIR')),
    /** PostgreSQL; SQLite in `dataDir` if undefined. */
    databaseUrl,
    /** A streaming replica of that database, for reading records. */
    replicaUrl,
    searchEngine,
    /** Where ClickHouse is; undefined unless it is the search engine. */
    clickhouse,
    /** Serving threads. By default one per core; always one in the demo. */
    workers: demo ? 1 : wholeNumber('WORKERS', workers ?? String(Math.min(256, availableParallelism())), 1, 256),
    oidc: {
      issuer,
      clientId: text('OIDC_CLIENT_ID'),
      clientSecret: text('OIDC_CLIENT_SECRET'),
      audience: text('OIDC_AUDIENCE'),
    },
    stripe: {
      secretKey: text('STRIPE_SECRET_KEY'),
      /** More than one while a secret is being rotated. */
      webhookSecrets: list('STRIPE_WEBHOOK_SECRET'),
      /** Price ids per plan. The first one is sold, all of them are recognized. */
      prices,
      apiUrl: checkedUrl('STRIPE_API_URL', text('STRIPE_API_URL'), ['https:', 'http:']),
    },
    webhooks: {
      /** Keys that encrypt the secrets of webhook endpoints, in base64; the first one encrypts. Without one there are no webhooks. */
      keys: readWebhookKeys(list('WEBHOOK_KEY'), demo),
    },
    /** How many days the journal of changes goes back. */
    journalDays: wholeNumber('JOURNAL_DAYS', required('JOURNAL_DAYS'), 1, 36_500),
    /** How many days payloads of payment events are kept. */
    webhookDays: wholeNumber('WEBHOOK_DAYS', required('WEBHOOK_DAYS'), 1, 36_500),
    /** How long requests wait for databases and providers. */
    timeLimits: multiplyLimits(wholeNumber('PATIENCE', required('PATIENCE'), 1, 100)),
    /** Links to the operator's own pages, for the footer. */
    operator: {
      termsUrl: checkedUrl('TERMS_URL', text('TERMS_URL'), ['http:', 'https:']),
      privacyUrl: checkedUrl('PRIVACY_URL', text('PRIVACY_URL'), ['http:', 'https:']),
      contactEmail: checkEmail(text('CONTACT_EMAIL')),
    },
    adminPort: wholeNumber('ADMIN_PORT', required('ADMIN_PORT'), 0, 65_535),
    logLevel: oneOf('LOG_LEVEL', required('LOG_LEVEL'), logLevels),
    /** Which parties of companies are stored and shown. */
    parties: readPartyModes(list('PARTIES')),
    /** When `serve` updates registers, as `readUpdateTimes` reads it; never if undefined. */
    update: readUpdate(required('UPDATE'), demo),
    /** How the files of publishers are fetched. */
    fetch: {
      /** A JSON file with addresses that replace those of the manifests. */
      sourcesFile: text('FETCH_SOURCES'),
      /** How many snapshots of each register are kept. */
      keep: wholeNumber('KEEP_SOURCES', required('KEEP_SOURCES'), 1, 1_000),
      /** An empty text means no proxy. */
      proxies: {
        http: readProxy('HTTP_PROXY', environment),
        https: readProxy('HTTPS_PROXY', environment),
        except: environment.no_proxy ?? environment.NO_PROXY ?? '',
      },
    },
    /** Where this installation keeps its exports, and of how many generations. */
    exports: {
      folder: resolve(text('EXPORT_DIR') ?? join(required('DATA_DIR'), 'exports')),
      keep: wholeNumber('KEEP_EXPORTS', required('KEEP_EXPORTS'), 1, 1_000),
      /** The formats that are exported after each scheduled update. */
      formats: list('EXPORT_FORMATS').map((format) => oneOf('EXPORT_FORMATS', format, exportFormats)),
      /** Where clients are sent for the files, without a trailing slash. */
      baseUrl: checkedUrl('EXPORT_BASE_URL', text('EXPORT_BASE_URL'), ['https:', 'http:'])?.replace(/\/+$/, ''),
    },
  });
}

function readUpdate(text: string, demo: boolean): string | undefined {
  if (text === 'off') return undefined;
  if (demo) reject('UPDATE', 'is set, but the demo has only sample data: remove it, or leave out --demo');
  if (readUpdateTimes(text) !== undefined) return text;
  return reject('UPDATE', `is "${text}": use daily@03:00, a cron expression such as "0 3 * * 1-5", or off`);
}

/** The service that `firmament mcp` uses, and the user's key for it. Not part of Config, because a server needs neither. */
export function readRemoteService(environment: Environment): { readonly url: string; readonly key: string } {
  const address = environment.FIRMAMENT_URL?.trim() || variables.FIRMAMENT_URL;
  const url = checkedUrl('FIRMAMENT_URL', address, ['https:', 'http:'])?.replace(/\/+$/, '') ?? '';
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

/** The version of this program, from package.json. */
export const version: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/** Freezes an object and everything in it. */
function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
