import type { Terminal } from './command.ts';

export const STOPPED = 130;

/** A command that is asked to stop has this long to print where it stopped. */
const STOP_MS = 500;

/** The terminal of this process. */
export function openTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  const stopping = new AbortController();
  const stop = () => {
    stopping.abort();
    setTimeout(() => process.exit(STOPPED), STOP_MS).unref();
  };
  // Not `once`: under npx, a second signal follows the first.
  process.on('SIGINT', stop).on('SIGTERM', stop);
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The reader has what it wants, such as `head`.
      process.exit(error.code === 'EPIPE' ? 0 : 1);
    });
  }
  const isTerminal = stdout.isTTY === true;
  return {
    env,
    // A terminal that does not know its size says 0.
    width: isTerminal && stdout.columns > 0 ? stdout.columns : undefined,
    hasColour: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    signal: stopping.signal,
    print: (text) => new Promise((resolve) => stdout.write(text, () => resolve())),
    note: (text) => void stderr.write(`${text}\n`),
  };
}
