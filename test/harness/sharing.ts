import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FileTimes } from './file-times.ts';
import { root } from './groups.ts';

/** One process of a test run: a test file, or a file that imports several. */
export interface Unit {
  readonly path: string;
  readonly files: readonly string[];
}

/** Files that change the time limits of their process, or have hooks outside of `describe`. */
const ALONE = /\/impatient\.ts'|^(?:before|after)\(/m;

/** Files that took longer have a process and start first: the run must not end with one of them on one core. */
const LONG_MS = 20_000;

/** So many that loading the service costs little, and so few that no process takes much longer than the others. */
const MAX_FILES = 20;

export function runAlone(file: string): Unit {
  return { path: resolve(root, file), files: [file] };
}

/**
 * Loading the modules of the service takes longer than the tests of most files. So all files share processes that neither take long
 * nor need one of their own, and run there one after the other. A failed test is still reported with its own file and line.
 * `folder` is for the files that import them. Short files that are alone come last.
 */
export function shareProcesses(
  files: readonly string[],
  times: FileTimes,
  folder: string,
  maxFiles = MAX_FILES,
): Unit[] {
  const kindOf = (file: string) => {
    if (files.length === 1 || times.find(file) > LONG_MS) return 'long';
    return ALONE.test(readFileSync(join(root, file), 'utf8')) ? 'short' : 'shared';
  };
  const { long = [], short = [], shared = [] } = Object.groupBy(files, kindOf);
  const longestFirst = long.toSorted((a, b) => times.find(b) - times.find(a));
  const count = Math.ceil(shared.length / maxFiles);
  // Every n-th file, because files next to each other are often of the same kind and slow together.
  const groups = Map.groupBy(shared.entries(), ([index]) => index % count);
  const together = [...groups].map(([at, entries]) => {
    const path = join(folder, `shared-${at + 1}.test.mjs`);
    const members = entries.map(([, file]) => file);
    const imports = members.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(root, file)).href)};\n`);
    writeFileSync(path, imports.join(''));
    return { path, files: members };
  });
  return [...longestFirst.map(runAlone), ...together, ...short.map(runAlone)];
}
