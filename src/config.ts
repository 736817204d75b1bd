import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';

/**
 * Environment → one frozen, validated Config; no other file reads the environment. Every variable is described here
 * once; `.env.example` is compared with this table in a test.
 */
export interface Config {
  readonly demo: boolean;
  readonly host: string;
  readonly port: number;
  /** Where clients reach us, base of every link we send out, without a trailing slash; the address we listen on when
   *  undefined. */
  readonly publicUrl: string | undefined;
  readonly dataDir: string;
  /** PostgreSQL; SQLite in `dataDir` when undefined. */
  readonly databaseUrl: string | undefined;
  /** A streaming replica of it that records may be read from. */
  readonly replicaUrl: string | undefined;
  readonly searchEngine: 'memory' | 'postgres';
  /** Serving threads; one per core unless told otherwise, one in the demo. */
  readonly workers: number;
  readonly oidc: {
    readonly issuer: string | undefined;
    readonly clientId: string | undefined;
    readonly clientSecret: string | undefined;
    readonly audience: string | undefined;
  };
  readonly stripe: {
    readonly secretKey: string | undefined;
    /** Several while a secret is being rotated. */
    readonly webhookSecrets: readonly string[];
    /** Of each plan: the first one is sold, all of them are recognized. */
    readonly prices: { readonly pro: readonly string[]; readonly business: readonly string[] };
    readonly apiUrl: string | undefined;
  };
  readonly adminPort: number;
  readonly logLevel: LogLevel;
}

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Every variable there is, with its default as text; null is "not set". */
export const variables = {
  HOST: '127.0.0.1',
  PORT: '3000',
  PUBLIC_URL: null,
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
  ADMIN_PORT: '9464',
  LOG_LEVEL: 'info',
} as const satisfies Record<string, string | null>;

type Variable = keyof typeof variables;
export type Environment = Readonly<Record<string, string | undefined>>;

/** The message is one sentence for the operator: it names the variable and the mend, and never a secret's value. */
export class ConfigError extends Error {}

/** The process's environment, completed from `./.env` where that file exists. */
export function readEnvironment(): Environment {
  const file = resolve('.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...process.env } : process.env;
}

export function readConfig(environment: Environment, { demo = false } = {}): Config {
  const text = (name: Variable): string | undefined => environment[name]?.trim() || (variables[name] ?? undefined);
  const list = (name: Variable): string[] => (text(name) ?? '').split(',').flatMap((part) => part.trim() || []);
  const required = (name: Variable): string => text(name) ?? refuse(name, 'is not set: give it a value');

  const host = required('HOST');
  if (demo && !isLoopback(host)) {
    refuse('HOST', `is ${host}, but the demo has a public key and no real sign-in: use 127.0.0.1 or leave out --demo`);
  }
  const port = wholeNumber('PORT', required('PORT'), 0, 65_535);
  const databaseUrl = checkedUrl('DATABASE_URL', text('DATABASE_URL'), ['postgres:', 'postgresql:']);
  const replicaUrl = checkedUrl('DATABASE_REPLICA_URL', text('DATABASE_REPLICA_URL'), ['postgres:', 'postgresql:']);
  if (replicaUrl !== undefined && databaseUrl === undefined) {
    refuse('DATABASE_REPLICA_URL', 'is set, but DATABASE_URL is not: name the primary there, or take it out');
  }
  const searchEngine = oneOf('SEARCH_ENGINE', required('SEARCH_ENGINE'), ['memory', 'postgres']);
  if (searchEngine === 'postgres' && databaseUrl === undefined) {
    refuse('SEARCH_ENGINE', 'is postgres, which needs DATABASE_URL: set it, or use SEARCH_ENGINE=memory');
  }
  const workers = text('WORKERS');
  if (demo && workers !== undefined && workers !== '1') {
    refuse('WORKERS', `is ${workers}, but what the demo stands in for lives in one thread: leave it out with --demo`);
  }
  const publicUrl = checkedUrl('PUBLIC_URL', text('PUBLIC_URL'), ['http:', 'https:']);
  const issuer = checkedUrl('OIDC_ISSUER', text('OIDC_ISSUER'), ['https:', 'http:']);
  if (issuer !== undefined && text('OIDC_CLIENT_ID') === undefined && text('OIDC_AUDIENCE') === undefined) {
    refuse('OIDC_CLIENT_ID', 'is not set, but OIDC_ISSUER is: set it, or OIDC_AUDIENCE to accept session tokens only');
  }
  const prices = { pro: list('STRIPE_PRICE_PRO'), business: list('STRIPE_PRICE_BUSINESS') };
  const sharedPrice = prices.pro.find((price) => prices.business.includes(price));
  if (sharedPrice !== undefined) {
    refuse('STRIPE_PRICE_BUSINESS', `names ${sharedPrice}, as STRIPE_PRICE_PRO does: a price buys one plan`);
  }

  return deepFreeze<Config>({
    demo,
    host,
    port,
    publicUrl: publicUrl?.replace(/\/+$/, ''),
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
    adminPort: wholeNumber('ADMIN_PORT', required('ADMIN_PORT'), 0, 65_535),
    logLevel: oneOf('LOG_LEVEL', required('LOG_LEVEL'), logLevels),
  });
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

function refuse(name: Variable, sentence: string): never {
  throw new ConfigError(`${name} ${sentence}.`);
}

function wholeNumber(name: Variable, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  return refuse(name, `is "${text}": use a whole number from ${least} to ${most}`);
}

function oneOf<T extends string>(name: Variable, text: string, allowed: readonly T[]): T {
  return allowed.find((value) => value === text) ?? refuse(name, `is "${text}": use one of ${allowed.join(', ')}`);
}

/** The value is not repeated in the error: an address may hold a password. Where https comes first in `protocols`,
 *  plain http is for this machine only. */
function checkedUrl(name: Variable, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const example = `${protocols[0]}//…`;
  const url = URL.parse(text) ?? refuse(name, `is not an address: write it in full, as in ${example}`);
  if (!protocols.includes(url.protocol)) refuse(name, `has the wrong scheme: it must begin with ${example}`);
  if (url.protocol === 'http:' && protocols[0] === 'https:' && !isLoopback(url.hostname)) {
    refuse(name, `sends secrets over plain http to another machine: it must begin with ${example}`);
  }
  return text;
}

function deepFreeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFreeze(inner);
  return Object.freeze(value);
}
