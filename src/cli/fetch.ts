import { join } from 'node:path';
import { readConfig, readEnvironment } from '../base/config/config.ts';
import { type Command, CommandError, describeStop } from '../base/terminal/command.ts';
import { createDisplay, formatSize } from '../base/terminal/progress.ts';
import { print, printable, printableJson, renderTable } from '../base/terminal/table.ts';
import type { FetchOutcome, FetchResult, SourceSettings } from '../import/fetch/snapshot.ts';
import { fetchSource } from '../import/fetch/sources.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { loadSourceSettings, showDownload } from '../services/source-settings.ts';
import { findRegister } from './arguments.ts';

export const command: Command = {
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
    const named = positionals.map(findRegister);
    const chosen = named.length > 0 ? registers.filter((register) => named.includes(register)) : registers;
    const results = await fetchAll(chosen, settings, signal, values.check === true);
    print(values.json ? printableJson(results) : renderResults(results));
    const failures = results.filter(({ outcome }) => isFailure(outcome, named.length > 0));
    if (failures.length > 0) {
      throw new CommandError(`Not fetched: ${failures.map(({ register }) => register).join(', ')}.`);
    }
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

const LABELS: Readonly<Record<FetchOutcome, string>> = {
  new: 'new',
  unchanged: 'unchanged',
  available: 'new files are available',
  unknown: 'unknown without a download',
  manual: 'download by hand',
  busy: 'being fetched by another process',
  failed: 'failed',
};

function renderResults(results: readonly FetchResult[]): string {
  const rows = results.map(({ register, outcome, files }) => [
    register,
    LABELS[outcome],
    files.length === 0 ? '' : String(files.length),
    files.length === 0 ? '' : formatSize(files.reduce((sum, { size }) => sum + size, 0)),
    printable(files[0] === undefined ? '' : join(files[0].path, '..')),
  ]);
  return renderTable(['ID', 'RESULT', 'FILES', 'SIZE', 'FOLDER'], rows, { omit: ['FOLDER'] });
}

function isFailure(outcome: FetchOutcome, isNamed: boolean): boolean {
  return outcome === 'failed' || outcome === 'busy' || (outcome === 'manual' && isNamed);
}
