import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const clientFolder = join(root, 'clients/typescript');

/** Builds the library as the package has it, without comments and types. Returns the folder, which is removed after the test. */
export function buildLibrary(): string {
  const out = mkdtempSync(join(tmpdir(), 'firmament-client-'));
  after(() => rmSync(out, { recursive: true, force: true }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  execFileSync(tsc, ['--project', clientFolder, '--outDir', out, '--declaration', 'false', '--removeComments']);
  return out;
}
