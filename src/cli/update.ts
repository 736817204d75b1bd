import { version } from '../base/config/config.ts';
import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError, describeStop } from '../base/terminal/command.ts';
import { createDisplay, describeRows } from '../base/terminal/progress.ts';
import { print, printable, printableJson, renderTable } from '../base/terminal/table.ts';
import type { SourceSettings } from '../import/fetch/snapshot.ts';
import { chooseRegisters, type UpdateOutcome, type UpdateResult, updateRegister } from '../import/update/update.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { type Opened, open } from '../services/open.ts';
import { loadSourceSettings, showDownload } from '../services/source-settings.ts';
import { findRegister } from './arguments.ts';

const NOTHING_NEW = 3;

export const command: Command = {
  arguments: '[register…]',
  options: {
    'dry-run': { type: 'boolean', description: 'Only say what there is to do, and change nothing.' },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Downloads what is new of the registers you name, as "fetch" does, and imports it, as "import" does. Without names, it
updates the registers that have official data or files in DATA_DIR/sources. A problem with one register does not stop the
others. Files that lack more than 20 % of the companies, or that are older than the imported ones, are refused: the message
says how to import them yourself.

Exit code 0: at least one register was updated, or with --dry-run would be. 3: there was nothing new. 1: at least one
register failed, is being updated by another process, or was named although it has to be downloaded by hand. 2: wrong
usage.`,
  examples: [
    ['update lv ee', 'Bring Latvia and Estonia up to date.'],
    ['update --dry-run', 'Show what an update would do.'],
  ],
  endsWithParent: true,
  async run({ values, positionals, signal }) {
    const named = positionals.map(findRegister);
    await using opened = open();
    const { services, config } = opened;
    const sources = loadSourceSettings(config);
    await services.requireSchema();
    const chosen =
      named.length > 0
        ? registers.filter((register) => named.includes(register))
        : await chooseRegisters(services.registry, sources.folder, services.clock.now());
    if (chosen.length === 0) {
      const ids = registers.filter(({ fetch: plan }) => plan.kind !== 'manual').map(({ id }) => id);
      throw new CommandError(
        `The store has no official data yet: name the registers to start with, such as "firmament update lv". Available: ${ids.join(', ')}.`,
      );
    }
    const results = await updateAll(chosen, opened, { sources, dryRun: values['dry-run'] === true, signal });
    print(values.json ? printableJson(results) : renderResults(results));
    requireUpdated(results, named.length > 0);
  },
};

/** Updates one register after the other: publishers limit the speed, and the store has one writer. */
async function updateAll(
  chosen: readonly Register[],
  { services, config }: Opened,
  { sources, dryRun, signal }: { sources: SourceSettings; dryRun: boolean; signal: AbortSignal },
): Promise<UpdateResult[]> {
  const { registryDb: db, clock, log } = services;
  using display = createDisplay();
  const results: UpdateResult[] = [];
  for (const register of chosen) {
    const note = (text: string) => display.note(printable(`${register.id}: ${text}`));
    const result = await updateRegister(register, {
      db,
      clock,
      log,
      sources,
      parties: config.parties,
      program: version,
      dryRun,
      signal,
      onFetch: showDownload(register.id, display.update),
      onImport: (progress) => display.update(describeRows(progress)),
      onWait: () => note('Waiting for another import to finish …'),
    }).catch(describeStop(signal, 'Stopped. Run the command again to continue.'));
    results.push(result);
    if (result.message !== null) note(result.message);
  }
  return results;
}

const LABELS: Readonly<Record<UpdateOutcome, string>> = {
  updated: 'updated',
  unchanged: 'nothing new',
  available: 'would be updated',
  unknown: 'unknown without a download',
  manual: 'download by hand',
  busy: 'busy',
  failed: 'failed',
};

function renderResults(results: readonly UpdateResult[]): string {
  const rows = results.map(({ register, outcome, counts, generation, seconds }) => [
    register,
    LABELS[outcome],
    ...(['rows', 'added', 'changed', 'delisted'] as const).map((name) => (counts ? formatCount(counts[name]) : '')),
    generation === null ? '' : String(generation),
    `${seconds.toFixed(1)} s`,
  ]);
  return renderTable(['ID', 'RESULT', 'ROWS', 'ADDED', 'CHANGED', 'DELISTED', 'GENERATION', 'TIME'], rows, {
    omit: ['GENERATION', 'TIME'],
  });
}

/** Sets an exit code other than 0 unless there was something to update and all updates succeeded. */
function requireUpdated(results: readonly UpdateResult[], isNamed: boolean): void {
  const list = (...outcomes: UpdateOutcome[]) => results.filter(({ outcome }) => outcomes.includes(outcome));
  const failures = list('failed', 'busy', ...(isNamed ? (['manual'] as const) : []));
  if (failures.length > 0) {
    throw new CommandError(`Not updated: ${failures.map(({ register }) => register).join(', ')}.`);
  }
  if (list('updated', 'available', 'unknown').length === 0) throw new CommandError('Nothing new.', NOTHING_NEW);
}
