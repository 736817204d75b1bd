import { createLease } from '../db/lease.ts';
import { createSourceChecks } from '../registry/checks/checks.ts';
import { readUpdateTimes } from '../update-times.ts';
import { chooseRegisters } from '../updating/choose.ts';
import type { KeptRegister } from '../updating/schedule/due.ts';
import { createUpdateSchedule, type UpdateSchedule } from '../updating/schedule/schedule.ts';
import { runUpdate } from '../updating/schedule/update-process.ts';
import type { Opened } from './open.ts';
import { readSourceSettings } from './source-settings.ts';

/** The schedule of `serve`, if UPDATE asks for one. It is about the registers that `firmament update` would update. */
export function openSchedule({ config, services }: Opened): UpdateSchedule | undefined {
  const times = config.update === undefined ? undefined : readUpdateTimes(config.update);
  if (times === undefined) return undefined;
  const { registry, registryDb, accountsDb, clock, log, metrics } = services;
  const { folder, overrides } = readSourceSettings(config);

  async function listRegisters(now: number): Promise<KeptRegister[]> {
    const chosen = new Set(await chooseRegisters(registry, folder, now));
    const states = (await registry.listRegisters(now)).filter(({ register }) => chosen.has(register));
    return states
      .filter(({ register: { id, fetch: plan } }) => plan.kind !== 'manual' || overrides.has(id))
      .map(({ register, freshness }) => ({ id: register.id, rhythm: register.updates, freshness }));
  }

  return createUpdateSchedule({
    times,
    // Not in the registry: an import locks it on SQLite until it ends.
    lease: createLease({ db: accountsDb, name: 'updates' }),
    checks: createSourceChecks(registryDb),
    clock,
    log,
    listRegisters,
    runUpdate: (ids, signal) => runUpdate(ids, { log, signal }),
    count: metrics.countUpdate,
  });
}
