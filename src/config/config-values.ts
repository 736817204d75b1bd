import { DEFAULT_PARTY_MODES, type PartyMode, type PartyModes, partyModes } from '../core/party-modes.ts';
import { isNetwork } from '../core/requests/networks.ts';
import { isLoopbackHost, readHostName } from '../core/site.ts';

/** Checks the values of environment variables for `config.ts`. Each function returns the value or throws a ConfigError. */

/** The message is one sentence for the operator. It names the variable and the fix, and never contains a secret. */
export class ConfigError extends Error {}

export function reject(name: string, sentence: string): never {
  throw new ConfigError(`${name} ${sentence}.`);
}

/** Other programs read these variables in lower case first, so we do too. The error does not repeat a password. */
export function readProxy(
  name: 'HTTP_PROXY' | 'HTTPS_PROXY',
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const text = (environment[name.toLowerCase()] ?? environment[name] ?? '').trim();
  if (text === '' || /^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  return reject(name, 'is not a valid address: write it in full, such as http://proxy.example.com:3128');
}

export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  return reject(name, `is "${text}": use a whole number from ${min} to ${max}`);
}

export function readProxies(parts: readonly string[]): readonly string[] | number {
  const [first = ''] = parts;
  if (parts.length === 1 && /^\d+$/.test(first)) return wholeNumber('TRUST_PROXY', first, 0, 16);
  const wrong = parts.find((part) => !isNetwork(part));
  if (wrong === undefined) return parts;
  return reject(
    'TRUST_PROXY',
    `contains "${wrong}": use addresses or networks, such as 10.0.0.1 or 10.0.0.0/8, or the number of proxies`,
  );
}

/** Anyone can read the data of the demo, so its key is no secret. It is always the same, so that a restart can read what is stored. */
const DEMO_KEY = Buffer.alloc(32, 'demo').toString('base64');

export function readWebhookKeys(keys: readonly string[], demo: boolean): readonly string[] {
  if (demo && keys.length === 0) return [DEMO_KEY];
  const isKey = (key: string) => /^[A-Za-z0-9+/]{43}=$/.test(key);
  if (keys.every(isKey)) return keys;
  return reject('WEBHOOK_KEY', 'is not 32 bytes in base64: make one with "openssl rand -base64 32"');
}

export function checkEmail(text: string | undefined): string | undefined {
  if (text === undefined || /^[^\s@<>"?&]+@[^\s@<>"?&]+$/.test(text)) return text;
  return reject('CONTACT_EMAIL', `is "${text}": use an address such as support@example.com`);
}

/** A name or address without port, in the form that browsers send. Wildcards are not supported. */
export function checkHostName(text: string): string {
  const url = URL.parse(`http://${text}`);
  const isName = url !== null && url.href === `http://${url.hostname}/` && !/[*/\\]|:\d*$/.test(text);
  if (isName) return readHostName(url.hostname);
  return reject('ALLOWED_HOSTS', `contains "${text}": use host names without scheme and port, such as api.example.com`);
}

/** The origin must be written as browsers send it, because it is compared with the `Origin` header as text. */
export function checkOrigin(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (isWeb && url.origin === text) return text;
  const example = isWeb ? url.origin : 'https://app.example.com';
  return reject('CORS_ORIGINS', `contains "${text}", which is not an origin: write it as ${example}, without a path`);
}

export function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  return allowed.find((value) => value === text) ?? reject(name, `is "${text}": use one of ${allowed.join(', ')}`);
}

/** The error does not repeat the value, because an address may contain a password. If https comes first in `protocols`,
 *  plain http is allowed only for this machine. */
export function checkedUrl(name: string, text: string | undefined, protocols: readonly string[]): string | undefined {
  if (text === undefined) return undefined;
  const example = `${protocols[0]}//…`;
  const url = URL.parse(text) ?? reject(name, `is not a valid address: write it in full, such as ${example}`);
  if (!protocols.includes(url.protocol)) reject(name, `has the wrong scheme: it must start with ${example}`);
  if (url.protocol === 'http:' && protocols[0] === 'https:' && !isLoopbackHost(url.hostname)) {
    reject(name, `would send secrets over plain http to another machine: it must start with ${example}`);
  }
  return text;
}

/** The nodes of ClickHouse, and how to sign in there. */
interface ClickhouseAddress {
  /** Such as `https://node1:8443`. */
  readonly hosts: readonly string[];
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Several nodes are written with commas, as in `https://user:password@node1:8443,node2:8443/database`. The error does not repeat a password. */
export function readClickhouse(text: string | undefined): ClickhouseAddress {
  const name = 'CLICKHOUSE_URL';
  const example = 'https://user:password@node1:8443,node2:8443/firmament';
  if (text === undefined) return reject(name, `is not set, but SEARCH_ENGINE is clickhouse: use ${example}`);
  const parts = /^(https?:\/\/)(?:([^@/]*)@)?([^@/?#]+)(?:\/(\w*))?$/.exec(text);
  const [, scheme = '', secrets = '', nodes = '', database] = parts ?? reject(name, `is not valid: use ${example}`);
  const [user = '', password = ''] = secrets.split(/:(.*)/s).map(readEscapes);
  const hosts = nodes.split(',').map((node) => {
    const host = checkedUrl(name, `${scheme}${node.trim()}`, ['https:', 'http:']) ?? '';
    return new URL(host).origin;
  });
  return { hosts, user: user || 'default', password, database: database || 'firmament' };
}

function readEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return reject('CLICKHOUSE_URL', 'has a user name or password that is not valid: write % as %25');
  }
}

/** Reads a mode for all registers, and exceptions such as `gleif=off`. */
export function readPartyModes(parts: readonly string[]): PartyModes {
  const exceptions: Record<string, PartyMode> = {};
  let { all } = DEFAULT_PARTY_MODES;
  for (const part of parts) {
    const [, register, mode = part] = /^([a-z]+(?:\/[a-z_]+)?)=(.*)$/.exec(part) ?? [];
    const read = oneOf('PARTIES', mode, partyModes);
    if (register === undefined) all = read;
    else exceptions[register] = read;
  }
  return { all, exceptions };
}
