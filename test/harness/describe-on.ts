import { describe } from 'node:test';
import type { Engine } from './databases.ts';

/** The same tests on each of the engines. */
export function describeOn(engines: readonly Engine[], title: string, tests: (engine: Engine) => void): void {
  for (const engine of engines) describe(`${title} on ${engine}`, () => tests(engine));
}
