import { posix } from 'node:path';
import type { SourceScan } from './source-scan.ts';

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  /** Says what is wrong and how to fix it. */
  readonly message: string;
}

/**
 * Depth-first search: each import that leads back into the current path closes a cycle, which is reported once. Type-only
 * imports count too. They are harmless at run time, but two files that name each other's types cannot be read one at a
 * time.
 */
export function findCycles(scans: ReadonlyMap<string, SourceScan>): Violation[] {
  const cycles = new Map<string, Violation>();
  const finished = new Set<string>();
  const visit = (file: string, path: readonly string[]) => {
    for (const { line, specifier } of scans.get(file)?.imports ?? []) {
      if (!specifier?.startsWith('.')) continue;
      const target = resolveImport(file, specifier);
      if (path.includes(target)) {
        const cycle = [...path.slice(path.indexOf(target)), target].join(' → ');
        const message = `${cycle}: move what they share to a separate file`;
        if (!cycles.has(cycle)) cycles.set(cycle, { file, line, rule: 'cycle', message });
      } else if (scans.has(target) && !finished.has(target)) visit(target, [...path, target]);
    }
    finished.add(file);
  };
  for (const file of scans.keys()) if (!finished.has(file)) visit(file, [file]);
  return [...cycles.values()];
}

export function resolveImport(file: string, specifier: string): string {
  return posix.join(posix.dirname(file), specifier.replace(/[?#].*$/, ''));
}
