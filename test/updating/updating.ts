import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { DEFAULT_PARTY_MODES } from '../../src/base/party-modes.ts';
import type { FetchLimits } from '../../src/import/fetch/requests.ts';
import { type UpdateOptions, type UpdateResult, updateRegister } from '../../src/import/update/update.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { listChecks } from '../../src/registry/records/imports/store.ts';
import { testClock } from '../harness/clock.ts';
import { type Engine, useStore } from '../harness/databases.ts';
import { makeFile, recognize } from '../sources/fetching.ts';
import { type Publisher, startPublisher } from '../sources/publisher.ts';

/** Faults end quickly. The limits of a healthy download are generous, because the machine may be busy. */
const LIMITS: FetchLimits = {
  responseMs: 20_000,
  idleMs: 20_000,
  attempts: 2,
  pauseMs: 1,
  maxPauseMs: 1_000,
  fileMs: 600_000,
  registerMs: 600_000,
};

export interface UpdateSettings
  extends Partial<Pick<UpdateOptions, 'dryRun' | 'program' | 'db' | 'signal' | 'log' | 'parties'>> {
  /** Paths at the publisher; `/register.csv` by default. */
  readonly paths?: readonly string[];
  readonly addresses?: readonly string[];
  readonly limits?: Partial<FetchLimits>;
  readonly keep?: number;
}

/** A store, a publisher and a folder for its files. Latvia is updated in this process. */
export function useUpdating(engine: Engine) {
  const clock = testClock();
  const store = useStore(engine, 'registry');
  let folder = mkdtempSync(join(tmpdir(), 'firmament-updating-'));
  let publisher: Publisher;
  before(async () => {
    publisher = await startPublisher();
  });
  after(async () => {
    await publisher.close();
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    clock,
    get db() {
      return store.db;
    },
    get publisher() {
      return publisher;
    },
    get folder() {
      return folder;
    },
    /** Starts with an empty folder, as on another machine or if the operator removed it. */
    forgetSources() {
      rmSync(folder, { recursive: true, force: true });
      folder = mkdtempSync(join(tmpdir(), 'firmament-updating-'));
    },
    update({ paths = ['/register.csv'], addresses, limits, keep = 2, ...settings }: UpdateSettings = {}) {
      const urls = (addresses ?? paths.map((path) => `${publisher.url}${path}`)).map((address) => new URL(address));
      return updateRegister(lv, {
        db: store.db,
        clock,
        log: { info: () => {}, warn: () => {} },
        sources: {
          folder,
          keep,
          overrides: new Map([['lv', urls]]),
          proxies: { http: '', https: '', except: '' },
          userAgent: 'test',
          clock,
          limits: { ...LIMITS, ...limits },
          recognize,
          parties: DEFAULT_PARTY_MODES,
        },
        program: '1.0.0',
        dryRun: false,
        signal: new AbortController().signal,
        onFetch: () => {},
        onImport: () => {},
        ...settings,
      }) satisfies Promise<UpdateResult>;
    },
    readCheck: async () => (await listChecks(store.db)).find(({ register }) => register === 'lv'),
    /** What a failed update must not change. */
    readState: async () => ({
      generation: (await store.db.one<{ generation: number }>('SELECT generation FROM generation'))?.generation,
      entities: (await store.db.all('SELECT id, status, content_hash FROM entities ORDER BY id')).map((row) => ({
        ...row,
      })),
      imports: (await store.db.all('SELECT * FROM imports ORDER BY generation')).map((row) => ({ ...row })),
    }),
  };
}

/** Generated files, made once. The first `rows` companies of a seed are the same for any number of rows. */
const made = new Map<string, Promise<Buffer>>();

export function makeLv(rows: number, seed = 1): Promise<Buffer> {
  const key = `${rows} ${seed}`;
  let file = made.get(key);
  if (file === undefined) {
    file = makeFile(rows, seed);
    made.set(key, file);
  }
  return file;
}
