import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** A function or branch that no process and no thread has run. */
export interface Branch {
  /** Relative to the folder, such as `answer/words.ts`. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

interface Counted {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Counted[] }[];
}

/**
 * Reads what Node has counted with `NODE_V8_COVERAGE=<counts>` and returns the branches of the files in `folder` that were never taken.
 * Node removes types without moving code, so that positions are those of the source. Files that were never loaded are returned whole.
 */
export function findUntaken(counts: string, folder: string): Branch[] {
  const scripts = new Map<string, Script[]>();
  for (const name of readdirSync(counts)) {
    const { result } = JSON.parse(readFileSync(join(counts, name), 'utf8')) as { readonly result: readonly Script[] };
    for (const script of result) scripts.set(script.url, [...(scripts.get(script.url) ?? []), script]);
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  return files.toSorted().flatMap((file) => {
    const url = pathToFileURL(join(folder, file)).href;
    const source = readFileSync(fileURLToPath(url), 'utf8');
    return listUntaken(source, scripts.get(url) ?? []).map((branch) => ({ file: relative('.', file), ...branch }));
  });
}

function listUntaken(source: string, runs: readonly Script[]): Omit<Branch, 'file'>[] {
  if (!/^(?:export )?(?:default )?(?:async )?(?:function|class|const|let)\b/m.test(source)) return [];
  const taken = new Uint8Array(source.length);
  for (const { functions } of runs) {
    const counts = new Float64Array(source.length);
    // Ranges are nested, and the innermost one counts.
    const ranges = functions
      .flatMap((one) => one.ranges)
      .toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
    for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
    for (const [at, count] of counts.entries()) if (count > 0) taken[at] = 1;
  }
  const branches: Omit<Branch, 'file'>[] = [];
  for (let at = 0; at < source.length; at++) {
    if (taken[at] === 1) continue;
    const from = at;
    while (at < source.length && taken[at] === 0) at++;
    const text = source.slice(from, at);
    // What remains of a block around branches that were taken, such as a brace or a type, is not a branch.
    const start = text.search(/[^\s{}();,:?]/);
    if (start < 0) continue;
    const line = source.slice(0, from + start).split('\n').length;
    branches.push({ line, text: text.slice(start).split('\n', 1)[0]?.trim() ?? '' });
  }
  return branches;
}
