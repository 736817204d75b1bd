import { once } from 'node:events';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type Ended, spawnScript } from './children.ts';
import { END, type HostRequest } from './command-host.ts';

const script = fileURLToPath(new URL('command-host.ts', import.meta.url));

type Host = ReturnType<typeof startHost>;

/** The hosts of this test file that have nothing to do. Commands that run at the same time get a host each. */
const idle: Host[] = [];

/** Runs a command line in a process that may have run others before. */
export async function runInHost(request: HostRequest): Promise<Ended> {
  const host = idle.pop() ?? startHost(request.env);
  const ended = await host.run(request);
  if (!host.hasEnded()) idle.push(host);
  return ended;
}

function startHost(env: HostRequest['env']) {
  const child = spawnScript(script, [], { env: { ...env }, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const channel = child.stdio[3] as Socket;
  const outputs = { stdout: '', stderr: '' };
  let hasEnded = false;
  // An idle host must not keep the test file running.
  const parts = [child, channel, child.stdout as Socket, child.stderr as Socket];
  const hold = () => parts.forEach((part) => void part.ref());
  const release = () => parts.forEach((part) => void part.unref());
  let check: () => void = () => undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text) => {
      outputs[name] += text;
      check();
    });
  }
  channel.on('error', () => undefined);
  const closed = once(child, 'close').then(([code, signal]): Ended => {
    hasEnded = true;
    return { code, signal, ...outputs };
  });

  async function run(request: HostRequest): Promise<Ended> {
    hold();
    outputs.stdout = '';
    outputs.stderr = '';
    const printed = new Promise<void>((resolve) => {
      check = () => {
        if (outputs.stdout.endsWith(END) && outputs.stderr.endsWith(END)) resolve();
      };
    });
    const answered = Promise.all([once(channel, 'data'), printed]).then(([[code]]): Ended => {
      const [stdout, stderr] = [outputs.stdout, outputs.stderr].map((text) => text.slice(0, -END.length));
      return { code: Number(code), signal: null, stdout: stdout ?? '', stderr: stderr ?? '' };
    });
    channel.write(`${JSON.stringify(request)}\n`);
    const ended = await Promise.race([answered, closed]);
    release();
    return ended;
  }

  return { run, hasEnded: () => hasEnded };
}
