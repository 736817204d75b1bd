import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/base/clock.ts';
import { DEFAULT_PARTY_MODES, type PartyModes } from '../../src/base/party-modes.ts';
import type { FetchLimits, ProxySettings } from '../../src/import/fetch/requests.ts';
import type { FetchResult } from '../../src/import/fetch/snapshot.ts';
import { fetchSource } from '../../src/import/fetch/sources.ts';
import { loadState, type SourceState } from '../../src/import/fetch/state.ts';
import { recognizeFile } from '../../src/import/reading/recognize.ts';
import type { Register } from '../../src/registers/contract.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { testClock } from '../harness/clock.ts';
import { useFolder } from '../harness/use.ts';

/** For publishers that do not respond, or send too little. Others get more time, because the machine may be busy. */
export const NO_RESPONSE = { limits: { responseMs: 500 } } as const;
export const NO_DATA = { limits: { idleMs: 300 } } as const;

const LIMITS: FetchLimits = {
  responseMs: 60_000,
  idleMs: 60_000,
  attempts: 3,
  pauseMs: 10,
  maxPauseMs: 1_500,
  fileMs: 600_000,
  registerMs: 600_000,
};
const NO_PROXIES: ProxySettings = { http: '', https: '', except: '' };

export interface FetchSettings {
  readonly register?: Register;
  readonly addresses?: readonly string[] | undefined;
  readonly checkOnly?: boolean;
  readonly proxies?: ProxySettings;
  readonly limits?: Partial<FetchLimits>;
  readonly folder?: string;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
  readonly parties?: PartyModes;
}

export interface Fetching {
  readonly folder: string;
  readonly clock: ReturnType<typeof testClock>;
  fetch(settings: FetchSettings): Promise<FetchResult>;
  state(register?: string): Promise<SourceState>;
}

/** Fetches in this process, into a folder that is removed after the tests. */
export function useFetching(): Fetching {
  const folder = useFolder();
  const clock = testClock();
  return {
    folder,
    clock,
    async fetch({ register = lv, addresses, proxies = NO_PROXIES, ...settings }) {
      const overrides = addresses === undefined ? [] : [[register.id, addresses.map((text) => new URL(text))] as const];
      const sources = {
        folder: settings.folder ?? folder,
        keep: 2,
        overrides: new Map(overrides),
        proxies,
        userAgent: 'test',
        clock: settings.clock ?? clock,
        limits: { ...LIMITS, ...settings.limits },
        recognize,
        parties: settings.parties ?? DEFAULT_PARTY_MODES,
      };
      const { checkOnly = false, signal = new AbortController().signal } = settings;
      await using fetched = await fetchSource(register, sources, { checkOnly, signal, onProgress: () => {} });
      return fetched.result;
    },
    state: (register = 'lv') => loadState(join(folder, register)),
  };
}

export async function recognize(path: string, register: Register): Promise<void> {
  const { close } = await recognizeFile(path, register);
  await close();
}

/** Latvia with the addresses in its manifest: unlike those that the operator sets, they must not be private. */
export function moveLv(...urls: readonly string[]): Register {
  assert.ok(lv.fetch.kind === 'fixed');
  return { ...lv, fetch: { ...lv.fetch, files: urls.map((url) => ({ url })) } };
}

/** A generated file of Latvia. */
export async function makeFile(rows: number, seed = 1): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), 'firmament-generated-'));
  try {
    return await readFile(await writeSynthetic(folder, generateFile(lv, rows, seed)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
