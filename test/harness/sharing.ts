import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** One process of a test run: a test file, or a file that imports several. */
export interface Unit {
  readonly path: string;
  readonly files: readonly string[];
}

/** These take longest, so each has a process, and they start first: the run must not end with one of them on one core. */
const LONG =
  /^test\/(api\/deadline|backup|bench|branches|browser|client\/pack|demo[-/](?:demo|start)|exports\/(?:end|serv|stop)|faults|machines|mcp\/deadline|races|readiness|shutdown|webhooks\/(?:kill|out|rel)|workers)/;

/** Files that change the time limits of their process, or have hooks outside of `describe`. */
const ALONE = /harness\/impatient\.ts'|^(?:before|after)\(/m;

/** So many that loading the service costs little, and so few that no process takes much longer than the others. */
const MAX_FILES = 22;

/**
 * Loading the modules of the service takes longer than the tests of most files. So all files share processes that neither take long
 * nor need one of their own, and run there one after the other. A failed test is still reported with its own file and line.
 * `folder` is for the files that import them. Short files that are alone come last.
 */
export function shareProcesses(root: string, files: readonly string[], folder: string): Unit[] {
  const isAlone = (file: string) => ALONE.test(readFileSync(join(root, file), 'utf8'));
  const kindOf = (file: string) => (LONG.test(file) ? 'long' : isAlone(file) ? 'short' : 'shared');
  const { long = [], short = [], shared = [] } = Object.groupBy(files, kindOf);
  const count = Math.ceil(shared.length / MAX_FILES);
  // Every n-th file, because files next to each other are often of the same kind and slow together.
  const groups = Map.groupBy(shared.entries(), ([index]) => index % count);
  return [
    ...long.map(alone),
    ...groups.entries().map(([at, entries]) =>
      together(
        at,
        entries.map(([, file]) => file),
      ),
    ),
    ...short.map(alone),
  ];

  function alone(file: string): Unit {
    return { path: resolve(root, file), files: [file] };
  }

  function together(at: number, chosen: readonly string[]): Unit {
    const path = join(folder, `shared-${at + 1}.test.mjs`);
    const imports = chosen.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(root, file)).href)};\n`);
    writeFileSync(path, imports.join(''));
    return { path, files: chosen };
  }
}
