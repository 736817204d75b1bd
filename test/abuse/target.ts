import { readdirSync, readFileSync } from 'node:fs';
import { createDatabase, type Engine, type TestDatabase } from '../harness/databases.ts';
import { type Office, openOffice } from '../harness/keys.ts';
import { paymentEnv } from '../harness/payment-events.ts';
import { type RunningServer, run, startServer } from '../harness/process.ts';

/** A real server with its own database, to be attacked. */
export interface Target {
  readonly engine: Engine;
  readonly database: TestDatabase;
  readonly office: Office;
  readonly server: RunningServer;
  readonly url: string;
  /** Runs a command of the service on the same database, such as an import. Throws if it fails. */
  command(...args: string[]): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface TargetOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Number of generated British companies. */
  readonly companies?: number;
}

export async function startTarget(engine: Engine, { env = {}, companies = 500 }: TargetOptions = {}): Promise<Target> {
  const database = await createDatabase(engine);
  const { dataDir, databaseUrl } = database;
  const office = openOffice(database);
  let server: RunningServer | undefined;

  async function command(...args: string[]): Promise<string> {
    const commandEnv = { DATA_DIR: dataDir, LOG_LEVEL: 'fatal', ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
    const { code, stdout, stderr } = await run(args, commandEnv, dataDir);
    if (code !== 0) throw new Error(`firmament ${args.join(' ')} exited with ${code}: ${stderr}`);
    return stdout;
  }
  async function dispose(): Promise<void> {
    server?.kill('SIGKILL');
    await server?.ended;
    await office[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  }

  try {
    await office.services.migrate();
    if (companies > 0) {
      await command('generate', 'gb', '--rows', String(companies), '--out', 'companies.csv');
      await command('import', 'gb', 'companies.csv');
    }
    server = await startServer(database, { env: { ...paymentEnv, LOG_LEVEL: 'fatal', ...env } });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { engine, database, office, server, url: server.url, command, [Symbol.asyncDispose]: dispose };
}

/** What a server holds at the moment. */
export interface Holdings {
  readonly megabytes: number;
  readonly descriptors: number;
  readonly threads: number;
}

/** Reads the resident memory, open descriptors and threads of a server from /proc. */
export function readHoldings({ server: { pid } }: Pick<Target, 'server'>): Holdings {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const find = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return {
    megabytes: Math.round(find('VmRSS') / 1_024),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: find('Threads'),
  };
}
