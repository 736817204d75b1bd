import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A process that runs one command line after the other, as `src/main.ts` does in a process of its own. Requests arrive as
 * lines on file descriptor 3. The modules of the commands are loaded once: that takes most of the time of a short command.
 */
export interface HostRequest {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** Written to both outputs when a command has ended. */
export const END = '\0end\0';

/** How long a command may take to end after its work. */
const END_MS = 60_000;

const home = process.cwd();
const listOpen = () => process.getActiveResourcesInfo();
let usual: readonly string[] = [];
let runs = 0;

async function serve({ args, env, cwd = home }: HostRequest): Promise<number> {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...args);
  process.exitCode = 0;
  // The query makes it another module, so that it runs again. The modules that it imports are the same.
  await import(`../../src/main.ts?${++runs}`);
  await untilFree();
  process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT');
  for (const output of [process.stdout, process.stderr]) output.removeAllListeners('error');
  return Number(process.exitCode);
}

/** A process of its own would end only now: when the command has left nothing open that keeps it running. */
async function untilFree(): Promise<void> {
  for (const deadline = performance.now() + END_MS; ; await sleep(5, undefined, { ref: false })) {
    const open = listOpen();
    for (const own of usual) if (open.includes(own)) open.splice(open.indexOf(own), 1);
    if (open.length === 0) return;
    if (performance.now() > deadline) throw new Error(`the command left open: ${open.join(', ')}`);
  }
}

if (import.meta.main) {
  const channel = new Socket({ fd: 3 });
  for await (const line of createInterface(channel)) {
    if (runs === 0) {
      // Opens both outputs, which are open in every process that has written something.
      for (const output of [process.stdout, process.stderr]) output.write('');
      usual = listOpen();
    }
    const code = await serve(JSON.parse(line));
    process.exitCode = 0;
    process.stdout.write(END);
    process.stderr.write(END);
    channel.write(`${code}\n`);
  }
}
