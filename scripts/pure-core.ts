/** Code that is allowed only in some files. */
export interface CodeRule {
  readonly rule: string;
  readonly pattern: RegExp;
  /** The rule holds only in this folder. */
  readonly within?: string;
  readonly homes: readonly string[];
  readonly message: string;
}

/** What keeps `src/core` pure: types and functions that neither wait nor touch what is outside the program. */
export const pureCore: CodeRule = {
  rule: 'pure-core',
  pattern: /\bset(?:Timeout|Interval|Immediate)\b|^(?:export\s+)?let\b/gm,
  within: 'src/core/',
  // A factor that only tests change.
  homes: ['src/core/patience.ts'],
  message: 'core has no timers and no mutable globals: move the code to src/system, or take the value as an argument',
};

const IMPURE_BUILT_INS = /^(?:node:)?(?:fs|worker_threads|timers|child_process|os)(?:\/|$)/;

export function objectionToBuiltIn(place: string, specifier: string): string | undefined {
  if (place !== 'core' || !IMPURE_BUILT_INS.test(specifier)) return undefined;
  return `core may not import ${specifier}: move the code to src/system, or take what it needs as an argument`;
}

/** Every place may import system/, except core and the registers, which only compute. */
export function mayImportSystem(place: string): boolean {
  return place !== 'core' && !place.startsWith('registers/');
}
