import { readFileSync } from 'node:fs';
import { isLoopbackName } from '../../base/site.ts';

/** The addresses that the operator set, by register. */
export type Overrides = ReadonlyMap<string, readonly URL[]>;

/** The message is one sentence for the operator. */
export class OverridesError extends Error {}

/** Reads the file that FETCH_SOURCES names: `{ "lv": ["https://mirror.example/register.csv"] }`. */
export function loadOverrides(path: string, registers: readonly string[]): Overrides {
  const overrides = new Map<string, URL[]>();
  for (const [register, addresses] of Object.entries(loadObject(path))) {
    if (!registers.includes(register))
      reject(`names the register "${register}", which does not exist: use one of ${registers.join(', ')}`);
    if (!Array.isArray(addresses) || addresses.length === 0)
      reject(`has no list of addresses for "${register}": write ["https://…"]`);
    const urls = addresses.map((address: unknown) => parseAddress(address, `address for "${register}"`));
    overrides.set(register, urls);
  }
  return overrides;
}

function parseAddress(address: unknown, what: string): URL {
  const url = typeof address === 'string' ? URL.parse(address) : null;
  if (url === null) return reject(`has an invalid ${what}: write it in full, such as https://…`);
  const isLocal = url.protocol === 'http:' && isLoopbackName(url.hostname);
  if (url.protocol !== 'https:' && !isLocal)
    reject(`has an ${what} that is not https: plain http is allowed for this machine only`);
  if (url.username !== '' || url.password !== '')
    reject(`has an ${what} with a password: remove it, because addresses are stored and shown`);
  return url;
}

function loadObject(path: string): object {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    reject(`names a file that cannot be read, or is not valid JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  return reject('must name a file with a JSON object, such as { "lv": ["https://…"] }');
}

function reject(sentence: string): never {
  throw new OverridesError(`FETCH_SOURCES ${sentence}.`);
}
