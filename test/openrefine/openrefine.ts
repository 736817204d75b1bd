import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../harness/until.ts';

/** A running OpenRefine, driven by the commands that its pages send. */
export interface OpenRefine {
  createProject(name: string, csv: string): Promise<string>;
  /** Runs a reconciliation with a standard service, and waits for its end. */
  reconcile(project: string, column: string, config: object): Promise<void>;
  /** Adds columns with values of matched companies, and waits for its end. */
  extend(project: string, column: string, extension: object, service: Service): Promise<void>;
  readRows(project: string, limit: number): Promise<Row[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Service {
  readonly service: string;
  readonly identifierSpace: string;
  readonly schemaSpace: string;
}

interface Cell {
  readonly v: unknown;
  readonly r?: number;
  readonly e?: string;
}

export interface Recon {
  /** `new`, `matched` or `none`. */
  readonly j: string;
  readonly m?: { readonly id: string };
  /** The candidates. */
  readonly c?: readonly { readonly id: string; readonly name: string; readonly score: number }[];
}

export interface Row {
  readonly cells: readonly (Cell | null)[];
  readonly recons: readonly (Recon | undefined)[];
}

/** Installs the package of Debian if it is missing. It has 130 MB with its Java libraries. */
export function installOpenRefine(): void {
  if (existsSync('/usr/bin/openrefine')) return;
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'openrefine', 'default-jre-headless'], {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

export async function startOpenRefine(): Promise<OpenRefine> {
  const folder = mkdtempSync(join(tmpdir(), 'openrefine-'));
  const port = await findPort();
  const options = ['-i', '127.0.0.1', '-p', String(port), '-d', folder, '-m', '600M', '-x', 'refine.headless=true'];
  // Its own process group: the script starts Java as a child.
  const child = spawn('/usr/bin/openrefine', options, { stdio: 'ignore', detached: true });
  const base = `http://127.0.0.1:${port}/command/core`;
  await until(
    'OpenRefine answers',
    async () => (await fetch(`${base}/get-version`).catch(() => undefined))?.ok === true,
  );

  async function get<T>(command: string): Promise<T> {
    return (await fetch(`${base}/${command}`)).json() as Promise<T>;
  }
  /** Every change needs a token in the query. */
  async function post(command: string, body: URLSearchParams | FormData): Promise<Response> {
    const { token } = await get<{ token: string }>('get-csrf-token');
    const separator = command.includes('?') ? '&' : '?';
    return fetch(`${base}/${command}${separator}csrf_token=${token}`, { method: 'POST', body, redirect: 'manual' });
  }
  /** Waits for the end, as long as there is progress: how fast it is depends on the machine. */
  async function finish(project: string): Promise<void> {
    for (let last = ''; ; ) {
      let now = '';
      await until('OpenRefine has finished or made progress', async () => {
        const { processes } = await get<{ processes: readonly object[] }>(`get-processes?project=${project}`);
        now = JSON.stringify(processes);
        return processes.length === 0 || now !== last;
      });
      if (now === '[]') return;
      last = now;
    }
  }
  async function run(command: string, project: string, fields: Record<string, unknown>): Promise<void> {
    const texts = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const reply = await post(`${command}?project=${project}`, new URLSearchParams(texts));
    const { code } = (await reply.json()) as { code: string };
    assert.ok(code === 'ok' || code === 'pending', `${command}: ${code}`);
    await finish(project);
  }

  return {
    async createProject(name, csv) {
      const form = new FormData();
      form.set('project-file', new Blob([csv], { type: 'text/csv' }), `${name}.csv`);
      form.set('project-name', name);
      form.set('format', 'text/line-based/*sv');
      form.set(
        'options',
        JSON.stringify({ separator: ',', headerLines: 1, encoding: 'UTF-8', guessCellValueTypes: false }),
      );
      const reply = await post('create-project-from-upload', form);
      return new URL(reply.headers.get('location') ?? '').searchParams.get('project') ?? assert.fail('no project');
    },
    reconcile: (project, columnName, config) => run('reconcile', project, { columnName, config, engine: ENGINE }),
    extend: (project, baseColumnName, extension, service) =>
      run('extend-data', project, {
        ...{ baseColumnName, extension, endpoint: service.service, engine: ENGINE, columnInsertIndex: '1' },
        ...{ identifierSpace: service.identifierSpace, schemaSpace: service.schemaSpace },
      }),
    async readRows(project, limit) {
      const reply = await get<{
        rows: { cells: (Cell | null)[] }[];
        pool?: { recons: Record<string, Recon> };
      }>(`get-rows?project=${project}&start=0&limit=${limit}`);
      const recons = reply.pool?.recons ?? {};
      return reply.rows.map(({ cells }) => ({ cells, recons: cells.map((cell) => recons[String(cell?.r)]) }));
    },
    async [Symbol.asyncDispose]() {
      await stop(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ENGINE = { facets: [], mode: 'row-based' };

async function stop(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  await gone;
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
