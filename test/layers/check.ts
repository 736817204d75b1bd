import { findViolations } from '../../scripts/layers.ts';

/** Every violation as `file:line rule`. */
export function check(files: Record<string, string>): string[] {
  return findViolations(new Map(Object.entries(files))).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}
