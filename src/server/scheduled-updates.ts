import { parseUpdateTimes } from '../base/config/update-times.ts';
import { createLease } from '../base/db/lease.ts';
import type { ExportFormat } from '../base/export-formats.ts';
import { parseVersion } from '../base/version.ts';
import { hasExport } from '../exports/folder.ts';
import {
  createUpdateSchedule,
  type KeptRegister,
  type ScheduledExports,
  type UpdateSchedule,
} from '../import/update/schedule/schedule.ts';
import { runExport, runUpdate } from '../import/update/schedule/update-process.ts';
import { chooseRegisters } from '../import/update/update.ts';
import type { Opened } from '../services/open.ts';
import { loadSourceSettings } from '../services/source-settings.ts';

/** Opens the schedule of `serve`, if UPDATE is set. It covers the registers that `firmament update` would update. */
export function openSchedule({ config, services }: Opened): UpdateSchedule | undefined {
  const times = config.update === undefined ? undefined : parseUpdateTimes(config.update);
  if (times === undefined) return undefined;
  const { registry, registryDb, accountsDb, clock, log, metrics } = services;
  const { folder, overrides } = loadSourceSettings(config);

  async function listRegisters(now: number): Promise<KeptRegister[]> {
    const chosen = new Set(await chooseRegisters(registry, folder, now));
    const states = (await registry.listRegisters(now)).filter(({ register }) => chosen.has(register));
    return states
      .filter(({ register: { id, fetch: plan } }) => plan.kind !== 'manual' || overrides.has(id))
      .map(({ register, freshness }) => ({ id: register.id, rhythm: register.updates, freshness }));
  }

  async function listMissing(): Promise<ExportFormat[]> {
    const version = await registry.version();
    if (parseVersion(version).generation === 0) return [];
    return config.exports.formats.filter((format) => !hasExport(config.exports.folder, version, format));
  }

  /** Makes the missing exports one after the other, so that only one needs memory at a time. */
  async function makeExports(signal: AbortSignal): Promise<void> {
    for (const format of await listMissing()) {
      if (signal.aborted) return;
      const started = performance.now();
      const problem = await runExport(format, { log, signal });
      const seconds = Math.round((performance.now() - started) / 1_000);
      if (problem === null) log.info({ format, seconds }, 'export made');
      else if (signal.aborted) log.info({ format }, 'export stopped');
      else log.warn({ format, problem }, 'an export could not be made: will retry at the next scheduled time');
    }
  }
  const areMissing = async () => (await listMissing()).length > 0;
  const exports: ScheduledExports = { areMissing, make: makeExports };

  return createUpdateSchedule({
    times,
    // The lease is not in the registry store: on SQLite, an import locks that store until it ends.
    lease: createLease({ db: accountsDb, name: 'updates' }),
    db: registryDb,
    clock,
    log,
    listRegisters,
    runUpdate: (ids, signal) => runUpdate(ids, { log, signal }),
    exports: config.exports.formats.length > 0 ? exports : undefined,
    count: metrics.countUpdate,
  });
}
