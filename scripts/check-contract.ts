// Fails if the contract would break clients of the released one. With --release, the current contract becomes the released one,
// unless it has a breaking change.

import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBreakingChanges, type OpenApi } from './contract-diff.ts';

const root = join(import.meta.dirname, '..');
const currentPath = 'openapi.json';
const releasedPath = 'contract/released.json';

try {
  checkContract(process.argv.includes('--release'));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function checkContract(isRelease: boolean): void {
  const current = readDocument(currentPath, 'run `npm run generate:contract` to write it');
  const released = readDocument(releasedPath, `restore it, or copy ${currentPath} there if this is the first release`);
  const changes = findBreakingChanges(released, current);
  if (changes.length > 0) {
    for (const change of changes) console.error(change);
    throw new Error('This breaks clients of /api/v1: the change needs /api/v2 or must be undone.');
  }
  if (isRelease) copyFileSync(join(root, currentPath), join(root, releasedPath));
  console.log(
    isRelease ? `${currentPath} is now ${releasedPath}.` : 'The contract is compatible with the released one.',
  );
}

function readDocument(path: string, remedy: string): OpenApi {
  let text: string;
  try {
    text = readFileSync(join(root, path), 'utf8');
  } catch {
    throw new Error(`${path} cannot be read: ${remedy}.`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not valid JSON.`);
  }
}
