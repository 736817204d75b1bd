import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Group = 'usual' | 'deep' | 'load' | 'scale';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** The group that the name of a file says: `x.test.ts` is `usual` (`npm test`), `x.deep.test.ts` is `deep`. */
export function groupOf(file: string): Group {
  const [, group] = /\.(deep|load|scale)\.test\.ts$/.exec(file) ?? [];
  return group === 'deep' || group === 'load' || group === 'scale' ? group : 'usual';
}

/**
 * The test files of a run. The deep run includes those of `npm test`, with more cases and both databases. Without a group, patterns
 * choose from all files.
 */
export function findTestFiles(group: Exclude<Group, 'usual'> | undefined, patterns: readonly string[]): string[] {
  const isNamed = patterns.length > 0;
  const isIncluded = (file: string) => {
    const own = groupOf(file);
    if (group === undefined) return isNamed || own === 'usual';
    return own === group || (group === 'deep' && own === 'usual');
  };
  const files = globSync(isNamed ? patterns : 'test/**/*.test.ts', { cwd: root })
    .filter((file) => file.endsWith('.test.ts') && isIncluded(file))
    .toSorted();
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ') || group}`);
  return files;
}
