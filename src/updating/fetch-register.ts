import type { Clock } from '../core/clock.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { recognizeFile } from '../registry/recognize.ts';
import { createClient, type ProxySettings } from '../sources/client.ts';
import { DEFAULT_LIMITS, type FetchLimits } from '../sources/limits.ts';
import type { FetchOptions } from '../sources/options.ts';
import type { Overrides } from '../sources/overrides.ts';
import { type FetchResult, fetchSource } from '../sources/sources.ts';

/** How publishers are reached, and where their files are kept. */
export interface SourceSettings extends Pick<FetchOptions, 'folder' | 'keep'> {
  /** The addresses that the operator set. */
  readonly overrides: Overrides;
  readonly proxies: ProxySettings;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly limits?: FetchLimits;
}

type FetchRequest = Pick<FetchOptions, 'checkOnly' | 'inUse' | 'signal' | 'onProgress'>;

/** Fetches the files of a register. The files stay locked while `use` works with them. */
export async function fetchRegister<T>(
  register: Register,
  settings: SourceSettings,
  request: FetchRequest,
  use: (fetched: FetchResult) => Promise<T>,
): Promise<T> {
  const { overrides, proxies, userAgent, clock, folder, keep, limits = DEFAULT_LIMITS } = settings;
  const addresses = overrides.get(register.id);
  // Only of this register: no other publisher may redirect to a host in the operator's network.
  const trusted = new Set(addresses?.map(({ origin }) => origin));
  const client = createClient({ proxies, userAgent, trusted, limits });
  const recognize = (path: string) => requireRecognized(path, register);
  try {
    return await fetchSource(register, { ...request, client, limits, clock, folder, keep, addresses, recognize }, use);
  } finally {
    await client.close();
  }
}

async function requireRecognized(path: string, register: Register): Promise<void> {
  const { close } = await recognizeFile(path, register, registers);
  await close();
}
