import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../base/log.ts';
import type { UpdateResult } from '../update.ts';

/** Runs `firmament update` in a process of its own, with low priority, so that updates do not slow down requests. */
export interface UpdateRun {
  /** Undefined if the process did not finish. */
  readonly result: UpdateResult | undefined;
  /** How the process ended, such as `exit code 1` or `signal SIGKILL`. */
  readonly ending: string;
}

interface UpdateProcessOptions {
  readonly log: Log;
  /** Stops the process; an import that has begun is rolled back. */
  readonly signal: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
}

const MAIN = fileURLToPath(new URL('../../../main.ts', import.meta.url));
/** A process that has not stopped after this time is killed. Its database transactions are rolled back in both cases. */
const STOP_MS = 10_000;
const MAX_REASON = 500;
const MAX_OUTPUT = 8 * 1024 * 1024;

export async function runUpdate(id: string, options: UpdateProcessOptions): Promise<UpdateRun> {
  const { output, ending } = await runCommand(['update', id, '--json'], options);
  return { result: (parseJson(output) as UpdateResult[] | undefined)?.[0], ending };
}

/** Makes an export in the same way. Returns null, or the last line or the kind of end of a process that failed. */
export async function runExport(format: string, options: UpdateProcessOptions): Promise<string | null> {
  const { ending, lastLine } = await runCommand(['export', '--format', format, '--json'], options);
  if (ending === 'exit code 0') return null;
  return ending === 'exit code 1' && lastLine !== '' ? lastLine : ending;
}

interface Ended extends Pick<UpdateRun, 'ending'> {
  readonly output: string;
  /** The last line of the errors and progress. Empty if the process printed nothing. */
  readonly lastLine: string;
}

async function runCommand(command: readonly string[], { log, signal, env }: UpdateProcessOptions): Promise<Ended> {
  // Through the IPC channel, the new process notices if this process is killed.
  const child = spawn(process.execPath, [MAIN, ...command], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...(env && { env }),
  });
  lowerPriority(child);
  const stop = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), STOP_MS).unref();
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    let lastLine = '';
    createInterface({ input: child.stderr as Readable, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
      lastLine = line.trim().slice(0, MAX_REASON) || lastLine;
      forwardRecord(line, log);
    });
    const [output, [code, killedBy]] = await Promise.all([collect(child.stdout as Readable), once(child, 'close')]);
    return { output, lastLine, ending: killedBy === null ? `exit code ${code}` : `signal ${killedBy}` };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Threads inherit the priority. If the priority cannot be changed, the update runs with the priority of the server. */
function lowerPriority({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {}
}

/** Reads the stream to its end, even beyond the limit: otherwise the process could not write all its output, and would not end. */
async function collect(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) if (text.length < MAX_OUTPUT) text += chunk;
  return text;
}

/** pino's number for warnings. */
const WARN = 40;
const MAX_LENGTH = 4_000;

/** Writes a log record of the process to the log of the server. Progress, which is printed every few seconds, and long lines are left out. */
export function forwardRecord(line: string, log: Log): void {
  const record = line.startsWith('{') && line.length <= MAX_LENGTH ? parseJson(line) : undefined;
  if (record === undefined) return;
  const { level, time: _time, msg, ...fields } = record as Record<string, unknown>;
  log[Number(level) >= WARN ? 'warn' : 'info']({ ...fields, from: 'update' }, String(msg));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
