import { setTimeout as sleep } from 'node:timers/promises';
import { reject } from '../base/config/config.ts';
import type { Db } from '../base/db/db.ts';
import type { StorePlace } from '../base/db/open.ts';
import type { Logger } from '../base/observability/log.ts';
import { listSetModes, type PartyModes } from '../base/party-modes.ts';
import { openThread } from '../base/system/thread.ts';
import { removeAll } from '../exports/folder.ts';
import { listRaised } from '../import/history.ts';
import { findExcess } from '../import/removal/remove-persons.ts';
import type { Register } from '../registers/contract.ts';

/** Throws unless every exception names a register or one of its sets. */
export function checkPartyModes({ all, exceptions }: PartyModes, registers: readonly Register[]): void {
  for (const name of Object.keys(exceptions)) {
    const [id, set] = name.split('/');
    const register = registers.find((candidate) => candidate.id === id);
    if (register === undefined)
      reject('PARTIES', `names the register "${id}", which does not exist: use an id such as gleif`);
    const sets = Object.keys(listSetModes({ all, exceptions: {} }, register as Register)).filter(
      (known) => known !== '',
    );
    if (set === undefined || sets.includes(set)) continue;
    const known = sets.length === 0 ? `${id} has no sets` : `its sets are ${sets.join(', ')}`;
    reject('PARTIES', `names "${name}", but ${known}`);
  }
}

export interface RemovalThread {
  remove(place: StorePlace, modes: PartyModes): Promise<string[]>;
}

interface RemovalOptions {
  readonly db: Db;
  readonly place: StorePlace;
  readonly registers: readonly Register[];
  readonly modes: PartyModes;
  readonly exportsFolder: string;
  readonly log: Logger;
}

const RETRY_MS = 60_000;

const RAISED =
  'PARTIES allows more than these registers were imported with: their next import brings it, also of the same files. Run firmament update, ' +
  'or firmament import with the files';

/** Removes what PARTIES switches off: exports before the server answers requests, the rest in a thread. Until then, reads leave the data out. */
export function createRemoval({ db, place, registers, modes, exportsFolder, log }: RemovalOptions) {
  const stopped = new AbortController();
  let running: Promise<void> = Promise.resolve();

  async function run(names: readonly string[]): Promise<void> {
    log.info({ registers: names }, 'removing what PARTIES switches off');
    while (!stopped.signal.aborted) {
      const script = new URL('removal-worker.ts', import.meta.url);
      const thread = openThread<RemovalThread>(script, { name: 'removal', signal: stopped.signal });
      try {
        const removed = await thread.call('remove', place, modes);
        log.info({ registers: removed }, 'removed what PARTIES switches off');
        return;
      } catch (error) {
        if (stopped.signal.aborted) return;
        log.error({ err: error }, 'what PARTIES switches off could not be removed: trying again');
        await sleep(RETRY_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
      } finally {
        await thread.close();
      }
    }
  }

  return {
    /** Deletes exports with data that PARTIES switches off. Call this before requests are answered. */
    async begin(): Promise<void> {
      const excess = await findExcess(db, registers, modes);
      if (excess.length === 0) return;
      const exports = await removeAll(exportsFolder);
      if (exports > 0) log.info({ exports }, 'deleted exports with parties that PARTIES switches off');
    },
    async start(): Promise<void> {
      const raised = await listRaised(db, registers, modes);
      if (raised.length > 0) log.warn({ registers: raised.map(({ id }) => id) }, RAISED);
      const excess = await findExcess(db, registers, modes);
      if (excess.length > 0) running = run(excess.map(({ register }) => register.id));
    },
    ended: () => running,
    async stop(): Promise<void> {
      stopped.abort(new Error('the service is closing'));
      await running;
    },
  };
}
