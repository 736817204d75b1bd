import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '../harness/databases.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { findFreePort } from '../harness/postgres-server.ts';
import { type RunningServer, startServer } from '../harness/process.ts';
import { type Balancer, startBalancer } from './balancer.ts';

/** Several machines on one PostgreSQL behind one balancer. Each is a process with its own port and data directory. */
export interface Machines {
  readonly urls: readonly string[];
  readonly balancer: Balancer;
  readonly office: Office;
  at(index: number): RunningServer;
  /** The environment for a command that runs on the machine. */
  envOf(index: number): Record<string, string>;
  /** Stops the machine with SIGTERM, waits for its end and starts it again, as an upgrade does. */
  restart(index: number): Promise<void>;
  close(): Promise<void>;
}

export interface MachinesOptions {
  readonly env?: (publicUrl: string) => Record<string, string>;
}

export async function startMachines(count: number, { env = () => ({}) }: MachinesOptions = {}): Promise<Machines> {
  const database = await createDatabase('postgres');
  const balancer = await startBalancer();
  const office = openOffice(database);
  const shared = { ...paymentEnv, PUBLIC_URL: balancer.url, ...env(balancer.url) };
  const settings: Array<{ dataDir: string; port: number }> = [];
  const servers: RunningServer[] = [];

  const start = async ({ dataDir, port }: (typeof settings)[0]) =>
    startServer({ ...database, dataDir }, { env: shared, port });

  async function close(): Promise<void> {
    await balancer.close();
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ ended }) => ended));
    await office[Symbol.asyncDispose]();
    for (const { dataDir } of settings) rmSync(dataDir, { recursive: true, force: true });
    await database.remove();
  }

  try {
    for (let at = 0; at < count; at++) {
      settings.push({ dataDir: mkdtempSync(join(tmpdir(), 'firmament-machine-')), port: await findFreePort() });
    }
    for (const outcome of await Promise.allSettled(settings.map(start))) {
      if (outcome.status === 'rejected') throw outcome.reason;
      servers.push(outcome.value);
    }
    const urls = servers.map(({ url }) => url);
    balancer.use(urls);
    await Promise.all(urls.map(balancer.untilUp));
    return {
      urls,
      balancer,
      office,
      at: (index) => servers[index] as RunningServer,
      envOf: (index) => ({ DATA_DIR: settings[index]?.dataDir ?? '', DATABASE_URL: database.databaseUrl ?? '' }),
      async restart(index) {
        const server = servers[index] as RunningServer;
        server.kill('SIGTERM');
        const { code } = await server.ended;
        if (code !== 0) throw new Error(`the server exited with ${code}:\n${server.output()}`);
        servers[index] = await start(settings[index] as (typeof settings)[0]);
        await balancer.untilUp(server.url);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
