import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** One process of a test run: a test file, or a file that imports several. */
export interface Unit {
  readonly path: string;
  readonly files: readonly string[];
}

/**
 * Files that compute, or serve requests themselves. Loading the modules of the service takes longer than most of their tests,
 * so several run in one process, one after the other. A failed test is still reported with its own file and line.
 */
const SHARING =
  /^(src|test\/(?:accounts|api|attack|contract-diff|core|db|formats|http|journal|layers|metering|observability|registers|registry|search|web))\//;
const MAX_FILES = 10;

/** Files of these folders are small and share processes with each other. */
const SMALL = /^(?:src|test\/(?:contract-diff|core|formats|layers|registers))$/;

/** Files that change their process, start others, or have hooks outside of `describe`. */
const ALONE = /impatient|harness\/(?:browser|machines|process|server-set)|child_process|^(?:before|after)\(/m;

/** Files of one folder, or of the small folders, share processes. `folder` is for the files that import them. */
export function shareProcesses(root: string, files: readonly string[], folder: string): Unit[] {
  const units: Unit[] = [];
  const shares = (file: string) => SHARING.test(file) && !ALONE.test(readFileSync(join(root, file), 'utf8'));
  for (const file of files) if (!shares(file)) units.push({ path: resolve(root, file), files: [file] });
  for (const [name, its] of Map.groupBy(files.filter(shares), findGroup)) {
    const processes = Math.ceil(its.length / MAX_FILES);
    for (let at = 0; at < processes; at++) {
      // Every n-th file, because files next to each other are often of the same kind and slow together.
      const chosen = its.filter((_, index) => index % processes === at);
      units.push(chosen.length === 1 ? alone(chosen) : together(`${name.replaceAll('/', '-')}-${at + 1}`, chosen));
    }
  }
  return units;

  function findGroup(file: string): string {
    const folder = SHARING.exec(file)?.[1] ?? '';
    return SMALL.test(folder) ? 'small' : folder;
  }

  function alone(chosen: readonly string[]): Unit {
    return { path: resolve(root, ...chosen), files: chosen };
  }

  function together(name: string, chosen: readonly string[]): Unit {
    const path = join(folder, `${name}.test.mjs`);
    const imports = chosen.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(root, file)).href)};\n`);
    writeFileSync(path, imports.join(''));
    return { path, files: chosen };
  }
}
