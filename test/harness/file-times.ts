import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './groups.ts';

const SLOWEST = 15;

/** How long each test file took, in this run and, from a file in `folder`, in runs before. */
export class FileTimes {
  readonly #path: string;
  readonly #before: ReadonlyMap<string, number>;
  readonly #now = new Map<string, number>();

  constructor(folder: string) {
    this.#path = join(folder, `firmament-test-times${process.env.DEEP === '1' ? '-deep' : ''}.json`);
    this.#before = new Map(Object.entries(loadTimes(this.#path)));
  }

  /** In milliseconds; 0 if the file never ran on this machine. */
  find(file: string): number {
    return this.#before.get(file) ?? 0;
  }

  add(path: string, ms: number): void {
    const file = relative(root, path);
    this.#now.set(file, (this.#now.get(file) ?? 0) + ms);
  }

  save(): void {
    try {
      writeFileSync(this.#path, JSON.stringify(Object.fromEntries([...this.#before, ...this.#now])));
    } catch {
      // Without the file, the next run starts long files no earlier than others.
    }
  }

  describeSlowest(): string {
    const slowest = [...this.#now].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
    return slowest.map(([file, ms]) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${file}`).join('\n');
  }
}

function loadTimes(path: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
