import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClickhousePlace } from '../../src/search/clickhouse/connection.ts';
import { until } from '../harness/until.ts';
import { forwardGently } from './proxies.ts';

/** Real ClickHouse nodes, each a process of its own: one, or several as shards of the cluster `firmament`. */
export interface Nodes extends AsyncDisposable {
  /** A database of its own for each test. */
  place(database: string): ClickhousePlace;
  /** Ends a node as a crash does, and starts it again on its data. */
  kill(node: number): Promise<void>;
  restart(node: number): Promise<void>;
  signal(node: number, signal: 'SIGSTOP' | 'SIGCONT'): void;
}

const VERSION = '26.7.3-stable.1';
const root = fileURLToPath(new URL('../../', import.meta.url));

/** The command that takes the options of `clickhouse local`, or why there is none. Installs the library on first use. */
function provideCommand(): readonly string[] | string {
  const given = process.env.SCALE_CLICKHOUSE ?? process.env.SCALE_NODES;
  if (given) return given.split(' ');
  const name = `@chdb/lib-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
  const cache = join(root, 'node_modules/.cache/firmament-scale');
  const library = join(cache, 'node_modules', name, 'libchdb.so');
  if (!existsSync(library)) {
    mkdirSync(cache, { recursive: true });
    // With the level of its own: `npm run -s` would make it silent, and the reason would be lost.
    const options = ['--loglevel=error', '--no-save', '--ignore-scripts', '--prefix', cache];
    const install = ['install', ...options, `${name}@${VERSION}`];
    const { status, stderr } = spawnSync('npm', install, { stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8' });
    if (/\b(E404|ETARGET|EBADPLATFORM)\b/.test(stderr)) {
      return `the npm registry of this machine has no ${name}@${VERSION}: see test/scale/README.md`;
    }
    if (status !== 0) throw new Error(`cannot install ${name}@${VERSION}: ${stderr}`);
  }
  const launch = fileURLToPath(new URL('launch.ts', import.meta.url));
  return [process.execPath, '--experimental-ffi', '--no-warnings', launch, library];
}

const command = provideCommand();

/** Why tests with ClickHouse are skipped on this machine; false if they are not. */
export const skipped: string | false = typeof command === 'string' ? command : false;
if (skipped) console.log(`Tests with ClickHouse are SKIPPED: ${skipped}`);

export function waitUntil(what: string, condition: () => unknown): Promise<void> {
  return until(what, condition, 200_000);
}

/** Four hours, in case the tests are killed. */
const QUERY =
  'SYSTEM START LISTEN HTTP; SYSTEM START LISTEN TCP; SELECT sleepEachRow(3) FROM numbers(4800) SETTINGS max_block_size = 1 FORMAT Null';

/** Few threads: all nodes share a machine. */
const SMALL = ['pool', 'schedule_pool', 'common_pool', 'fetches_pool', 'move_pool']
  .map((name) => `<background_${name}_size>2</background_${name}_size>`)
  .join('');

export async function startNodes(count: number): Promise<Nodes> {
  const running = process.env.SCALE_NODES;
  if (running) return useRunning(running.split(','));
  const [program = '', ...args] = command;
  const folder = mkdtempSync(join(tmpdir(), 'firmament-scale-'));
  const ports = await findPorts(2 * count);
  const nodes = Array.from({ length: count }, (_, at) => ({ http: ports[2 * at] ?? 0, tcp: ports[2 * at + 1] ?? 0 }));
  const proxies = await Promise.all(nodes.map(({ tcp }) => forwardGently(tcp)));
  const shards = proxies.map(
    ({ port }) => `<shard><replica><host>127.0.0.1</host><port>${port}</port></replica></shard>`,
  );
  const cluster = count === 1 ? '' : `<remote_servers><firmament>${shards.join('')}</firmament></remote_servers>`;
  const children: ChildProcess[] = [];

  async function start(node: number): Promise<void> {
    const { http, tcp } = nodes[node] ?? assertNever();
    const config = join(folder, `node${node}.xml`);
    const listen = `<listen_host>127.0.0.1</listen_host><http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>`;
    writeFileSync(config, `<clickhouse>${cluster}${listen}${SMALL}</clickhouse>`);
    const options = [`--path=${join(folder, `data${node}`)}`, `--config-file=${config}`, '--query', QUERY];
    const child = spawn(program, [...args, ...options], { stdio: ['ignore', 'ignore', 'inherit'] });
    children[node] = child;
    await waitUntil(`node ${node} answers`, async () => {
      const end = child.exitCode ?? child.signalCode;
      if (end !== null) throw new Error(`node ${node} ended with ${end}`);
      return fetch(`http://127.0.0.1:${http}/ping`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  async function kill(node: number): Promise<void> {
    const child = children[node] ?? assertNever();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  const killAll = () => Promise.all([...children.keys().map(kill), ...proxies.map(({ close }) => close())]);
  await Promise.all(nodes.map((_, node) => start(node))).catch(async (error: unknown) => {
    await killAll();
    throw error;
  });
  return {
    place: (database) => ({
      hosts: nodes.map(({ http }) => `http://127.0.0.1:${http}`),
      user: 'default',
      password: '',
      database,
    }),
    kill,
    restart: start,
    signal: (node, signal) => void children[node]?.kill(signal),
    async [Symbol.asyncDispose]() {
      await killAll();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Nodes that run already, such as those of a cluster that is to be checked. They are not killed. */
function useRunning(hosts: readonly string[]): Nodes {
  const refuse = () => {
    throw new Error('this test starts its own nodes: run it without SCALE_NODES');
  };
  const place = (database: string) => ({ hosts, user: 'default', password: '', database });
  return { place, kill: refuse, restart: refuse, signal: refuse, [Symbol.asyncDispose]: async () => undefined };
}

function assertNever(): never {
  throw new Error('there is no such node');
}

/** Free ports below those that the system gives to others meanwhile: a busy node takes long to open them. */
async function findPorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(12_000, 32_000);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (isFree) ports.add(port);
    await new Promise((resolve) => server.close(resolve));
  }
  return [...ports];
}
