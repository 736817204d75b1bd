import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const patient = new URL('patient.ts', import.meta.url).href;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The processes that this file has started and that have not ended. Each is the leader of a group with its own children. */
const groups = new Set<number>();

/** Ends what a test that failed or timed out has left running. */
function endAll(): void {
  for (const pid of groups) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}

after(endAll);
process.once('exit', endAll);
// The runner sends SIGTERM to a file that exceeds its time.
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    endAll();
    process.exit(1);
  });
}

/** What a process of the service gets: the given environment, and nothing from the test's own that it could depend on. */
export function completeEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = '', PATIENCE, DEEP, NODE_COMPILE_CACHE = join(tmpdir(), 'firmament-compile-cache') } = process.env;
  return {
    PATH,
    ...(PATIENCE && { PATIENCE }),
    ...(DEEP && { DEEP }),
    NODE_COMPILE_CACHE,
    ...env,
  };
}

/** Runs a TypeScript file as a process that does not outlive the test file. */
export function spawnScript(script: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  // There are no symbolic links to follow, and looking for them takes time.
  const child = spawn(process.execPath, ['--preserve-symlinks', '--import', patient, script, ...args], {
    ...options,
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) {
    groups.add(pid);
    child.once('close', () => groups.delete(pid));
  }
  return child;
}
