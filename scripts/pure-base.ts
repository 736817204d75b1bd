/** Code that is allowed only in some files. */
export interface CodeRule {
  readonly rule: string;
  readonly pattern: RegExp;
  /** The rule holds only for these files. */
  readonly within?: (file: string) => boolean;
  readonly homes: readonly string[];
  readonly message: string;
}

export const PURE = 'the files directly in base/, base/json/, base/requests/ and registers/';

/** Whether a file only computes: it neither waits nor touches what is outside the program. */
export function isPure(file: string): boolean {
  return /^src\/(?:base\/(?:json\/|requests\/)?[\w-]+\.ts$|registers\/)/.test(file);
}

export const pureBase: CodeRule = {
  rule: 'pure',
  pattern: /\bset(?:Timeout|Interval|Immediate)\b|^(?:export\s+)?let\b/gm,
  within: isPure,
  homes: [],
  message:
    'this file only computes: move timers and mutable globals to src/base/system, or take the value as an argument',
};

const IMPURE_BUILT_INS = /^(?:node:)?(?:fs|worker_threads|timers|child_process|os)(?:\/|$)/;

/** Registers read their lists of codes when they are loaded. */
export function isPureBuiltIn(file: string, specifier: string): boolean {
  return !IMPURE_BUILT_INS.test(specifier) || (file.startsWith('src/registers/') && specifier === 'node:fs');
}
