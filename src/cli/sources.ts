import { join } from 'node:path';
import { readConfig, readEnvironment, version } from '../base/config/config.ts';
import { formatCount } from '../base/format-count.ts';
import { type Command, CommandError, describeStop } from '../base/terminal/command.ts';
import { createDisplay, describeRows, formatSize } from '../base/terminal/progress.ts';
import { print, printable, printableJson, renderTable } from '../base/terminal/table.ts';
import type { FetchOutcome, FetchResult, SourceSettings } from '../import/fetch/snapshot.ts';
import { fetchSource } from '../import/fetch/sources.ts';
import { chooseRegisters, type UpdateOutcome, type UpdateResult, updateRegister } from '../import/update/update.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { type Opened, open } from '../services/open.ts';
import { loadSourceSettings, showDownload } from '../services/source-settings.ts';
import { findRegister } from './arguments.ts';

/** Commands that download official files: `fetch` keeps them, `update` imports them too. */
function findNamed(ids: readonly string[]): readonly Register[] | undefined {
  const named = ids.map(findRegister);
  return named.length === 0 ? undefined : registers.filter((register) => named.includes(register));
}

export const fetchCommand: Command = {
  arguments: '[register…]',
  options: {
    check: { type: 'boolean', description: 'Only say what is new, and download nothing.' },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Finds the newest official files of the registers you name, or of all registers, and downloads what is new to
DATA_DIR/sources/<register>/. A file is kept only if it is complete and the register recognizes it; otherwise it is moved
to the folder "quarantine" there, with the reason. Nothing is imported. An interrupted download continues where it
stopped. All registers together are tens of gigabytes: name the ones that you serve. Files of parties that PARTIES has switched
off are left out.

Exit code 0: everything was fetched or is unchanged. 1: a register could not be fetched, or one that you named has to be
downloaded by hand. Addresses can be replaced with FETCH_SOURCES; see docs/operations.md.`,
  examples: [
    ['fetch lv ee', 'Download the newest files of Latvia and Estonia.'],
    ['fetch --check', 'Show which registers have new files.'],
  ],
  async run({ values, positionals, signal }) {
    const settings = loadSourceSettings(readConfig(readEnvironment()));
    const chosen = findNamed(positionals) ?? registers;
    const results = await fetchAll(chosen, settings, signal, values.check === true);
    print(values.json ? printableJson(results) : renderFetched(results));
    requireSuccess(results, positionals.length > 0, 'fetched');
  },
};

/** The number of simultaneous checks. A check transfers little, but a publisher may answer slowly or not at all. */
const MAX_CHECKS = 6;

/** Downloads one register after the other: the limit is the speed at which publishers send. */
async function fetchAll(
  chosen: readonly Register[],
  settings: SourceSettings,
  signal: AbortSignal,
  checkOnly: boolean,
): Promise<FetchResult[]> {
  using display = createDisplay();
  const waiting = [...chosen.entries()];
  const results: FetchResult[] = [];
  let done = 0;
  const showChecks = () => {
    if (checkOnly) display.update({ text: 'Checking', done, total: chosen.length, unit: 'registers' });
  };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, register] = next;
      const onProgress = checkOnly ? () => undefined : showDownload(register.id, display.update);
      await using fetched = await fetchSource(register, settings, { checkOnly, signal, onProgress });
      const { result } = fetched;
      if (result.message !== null) display.note(printable(`${register.id}: ${result.message}`));
      results[at] = result;
      done++;
      showChecks();
    }
  };
  showChecks();
  const advice = checkOnly ? 'Stopped.' : 'Stopped. Run the command again to continue.';
  await Promise.all(Array.from({ length: checkOnly ? MAX_CHECKS : 1 }, work)).catch(describeStop(signal, advice));
  return results;
}

const OUTCOMES: Readonly<Record<FetchOutcome | UpdateOutcome, string>> = {
  new: 'new',
  updated: 'updated',
  unchanged: 'nothing new',
  available: 'new files are available',
  unknown: 'unknown without a download',
  manual: 'download by hand',
  busy: 'busy in another process',
  failed: 'failed',
};

function renderFetched(results: readonly FetchResult[]): string {
  const rows = results.map(({ register, outcome, files }) => [
    register,
    OUTCOMES[outcome],
    files.length === 0 ? '' : String(files.length),
    files.length === 0 ? '' : formatSize(files.reduce((sum, { size }) => sum + size, 0)),
    printable(files[0] === undefined ? '' : join(files[0].path, '..')),
  ]);
  return renderTable(['ID', 'RESULT', 'FILES', 'SIZE', 'FOLDER'], rows, { omit: ['FOLDER'] });
}

/** Throws unless all registers could be served. A register that was not named may need a download by hand. */
function requireSuccess(results: readonly (FetchResult | UpdateResult)[], isNamed: boolean, what: string): void {
  const failures = results.filter(
    ({ outcome }) => outcome === 'failed' || outcome === 'busy' || (outcome === 'manual' && isNamed),
  );
  if (failures.length === 0) return;
  throw new CommandError(`Not ${what}: ${failures.map(({ register }) => register).join(', ')}.`);
}

const NOTHING_NEW = 3;

export const updateCommand: Command = {
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
    const named = findNamed(positionals);
    await using opened = open();
    const { services, config } = opened;
    const sources = loadSourceSettings(config);
    await services.requireSchema();
    const chosen = named ?? (await chooseRegisters(services.registry, sources.folder, services.clock.now()));
    if (chosen.length === 0) {
      const ids = registers.filter(({ fetch: plan }) => plan.kind !== 'manual').map(({ id }) => id);
      throw new CommandError(
        `The store has no official data yet: name the registers to start with, such as "firmament update lv". Available: ${ids.join(', ')}.`,
      );
    }
    const results = await updateAll(chosen, opened, { sources, dryRun: values['dry-run'] === true, signal });
    print(values.json ? printableJson(results) : renderUpdated(results));
    requireSuccess(results, named !== undefined, 'updated');
    const isNew = ({ outcome }: UpdateResult) => ['updated', 'available', 'unknown'].includes(outcome);
    if (!results.some(isNew)) throw new CommandError('Nothing new.', NOTHING_NEW);
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

function renderUpdated(results: readonly UpdateResult[]): string {
  const rows = results.map(({ register, outcome, counts, generation, seconds }) => [
    register,
    OUTCOMES[outcome],
    ...(['rows', 'added', 'changed', 'delisted'] as const).map((name) => (counts ? formatCount(counts[name]) : '')),
    generation === null ? '' : String(generation),
    `${seconds.toFixed(1)} s`,
  ]);
  return renderTable(['ID', 'RESULT', 'ROWS', 'ADDED', 'CHANGED', 'DELISTED', 'GENERATION', 'TIME'], rows, {
    omit: ['GENERATION', 'TIME'],
  });
}
