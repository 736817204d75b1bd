import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Set but empty counts as not set, so that a CI variable without a value turns the tests off. */
const folder = process.env.REAL_SAMPLES || undefined;

/**
 * The path of an official register file, such as `ee/sample_record.json`, in the folder that REAL_SAMPLES names. The
 * files are not part of this repository. Without REAL_SAMPLES the result is undefined and the caller declares no test;
 * with it, a missing file is an error, because a test that silently runs nothing looks like one that passes.
 */
export function realSample(name: string): string | undefined {
  if (folder === undefined) return undefined;
  const path = join(resolve(folder), name);
  if (!existsSync(path)) throw new Error(`REAL_SAMPLES is set, but ${path} does not exist`);
  return path;
}

/** One line for the start of the test run when the tests of real samples are left out. */
export function describeMissingSamples(): string | undefined {
  return folder === undefined
    ? 'Tests of official register files are left out: set REAL_SAMPLES to a folder with real samples to run them.'
    : undefined;
}
