import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { EntitySummary } from '../../src/core/entity-summary.ts';
import type { MatchAnswer } from '../../src/matching/matching.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';

/** A running OpenRefine, driven by the commands that its pages send. */
interface OpenRefine {
  createProject(name: string, csv: string): Promise<string>;
  /** Runs a reconciliation with a standard service, and waits for its end. */
  reconcile(project: string, column: string, config: object): Promise<void>;
  /** Adds columns with values of matched companies, and waits for its end. */
  extend(project: string, column: string, extension: object, service: Service): Promise<void>;
  readRows(project: string, limit: number): Promise<Row[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface Service {
  readonly service: string;
  readonly identifierSpace: string;
  readonly schemaSpace: string;
}

interface Cell {
  readonly v: unknown;
  readonly r?: number;
  readonly e?: string;
}

interface Recon {
  /** `new`, `matched` or `none`. */
  readonly j: string;
  readonly m?: { readonly id: string };
  /** The candidates. */
  readonly c?: readonly { readonly id: string; readonly name: string; readonly score: number }[];
}

interface Row {
  readonly cells: readonly (Cell | null)[];
  readonly recons: readonly (Recon | undefined)[];
}

/** Installs the package of Debian if it is missing. It has 130 MB with its Java libraries. */
function installOpenRefine(): void {
  if (existsSync('/usr/bin/openrefine')) return;
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'openrefine', 'default-jre-headless'], {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

async function startOpenRefine(): Promise<OpenRefine> {
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

/** How many rows are matched. Set OPENREFINE_ROWS for a quick try. */
const ROWS = Number(process.env.OPENREFINE_ROWS ?? 10_000);
const REGISTERS = ['gb', 'lv', 'cz', 'no', 'ua'];
const LIMIT = 3;

describe(`the real OpenRefine over ${ROWS} rows`, () => {
  let service: TestService;
  let refine: OpenRefine;
  before(async () => {
    installOpenRefine();
    service = await startService('sqlite');
    await importSyntheticAll(service, Math.ceil(ROWS / REGISTERS.length), REGISTERS);
    refine = await startOpenRefine();
  });
  after(async () => {
    await refine?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  test('no error, judgements equal to match, and the columns of matched companies', async () => {
    const { account } = await service.signIn({ plan: 'business' });
    const { reconcileLinks, matcher, search } = service.services;
    const { secret } = await reconcileLinks.create(account.accountId, 'OpenRefine');
    const endpoint = `${service.url}/api/v1/reconcile/l/${secret}`;
    const manifest = (await (await fetch(endpoint)).json()) as Service;
    const standard = { ...manifest, service: endpoint };
    const names = (await readEntities(search, ROWS)).map(misspell);
    const csv = ['name,country', ...names.map(({ name, country }) => `${quote(name)},${country}`)].join('\n');

    const project = await refine.createProject('companies', csv);
    await refine.reconcile(project, 'name', {
      mode: 'standard-service',
      ...{ service: endpoint, identifierSpace: manifest.identifierSpace, schemaSpace: manifest.schemaSpace },
      ...{ type: { id: 'company', name: 'Company' }, autoMatch: true, batchSize: 50, limit: LIMIT },
      columnDetails: [{ column: 'country', propertyName: 'Country', propertyID: 'country' }],
    });
    // OpenRefine leaves cells empty after an error, so these are looked at first.
    const statuses = Map.groupBy(
      service.logLines.filter((line) => line.includes('/reconcile/l/:link')),
      (line) => JSON.parse(line).status,
    );
    assert.deepEqual(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 429),
      [],
      'errors',
    );
    const rows = await refine.readRows(project, ROWS);
    assert.equal(rows.length, names.length);
    const outcomes = { matched: 0, candidates: 0, none: 0 };
    for (const [at, row] of rows.entries()) {
      const { name, country } = names[at] ?? assert.fail('too many rows');
      const requester = { account: account.accountId, deadline: Number.POSITIVE_INFINITY };
      const { answer: expected } = await matcher.match({ name: name.trim(), country, limit: LIMIT }, requester);
      compare(row, expected, name);
      outcomes[expected.candidates[0]?.match ? 'matched' : expected.candidates.length > 0 ? 'candidates' : 'none']++;
    }
    console.log(`${rows.length} rows: ${JSON.stringify(outcomes)}`);
    assert.ok(outcomes.matched > ROWS / 4, 'too few matches to prove anything');

    const extension = { properties: ['registrationNumber', 'status', 'address'].map((id) => ({ id, name: id })) };
    await refine.extend(project, 'name', extension, standard);
    let extended = 0;
    for (const { cells, recons } of await refine.readRows(project, Math.min(ROWS, 1_000))) {
      if (recons[0]?.j !== 'matched') continue;
      assert.equal(typeof cells[2]?.v, 'string', 'the status of a matched company');
      extended++;
    }
    assert.ok(extended > 0);
  });
});

function compare({ cells, recons }: Row, { candidates }: MatchAnswer, name: string): void {
  assert.equal(cells[0]?.e, undefined, `${name} has an error`);
  const recon = recons[0] ?? assert.fail(`${name} was not asked for`);
  const best = candidates[0];
  assert.equal(recon.j, best?.match === true ? 'matched' : 'none', `the judgement of ${name}`);
  if (best?.match === true) assert.equal(recon.m?.id, best.entity.id, `the match of ${name}`);
  // OpenRefine does not list the candidates of a cell that is matched.
  if (best?.match === true) return;
  const scores = (recon.c ?? []).map(({ score }) => score);
  assert.deepEqual(
    scores,
    candidates.map(({ score }) => Math.round(score * 1_000) / 10),
    `the scores of ${name}`,
  );
}

async function readEntities(search: TestService['services']['search'], count: number): Promise<EntitySummary[]> {
  const entities: EntitySummary[] = [];
  for (let page = 1; entities.length < count; page++) {
    const { body } = await search.find(toSearchQuery({ page, pageSize: 100 }));
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: EntitySummary[] };
    if (data.length === 0) break;
    entities.push(...data);
  }
  return entities.slice(0, count);
}

/** Names as people type them: every second one as it is, the others without a letter, in lower case, or without their last word. */
function misspell({ canonicalName, countryCode }: EntitySummary, at: number) {
  const words = canonicalName.split(' ');
  const edits = [
    canonicalName,
    canonicalName.toLowerCase(),
    canonicalName,
    words.length > 2 ? words.slice(0, -1).join(' ') : canonicalName,
    canonicalName,
    canonicalName.slice(0, 5) + canonicalName.slice(6),
  ];
  return { name: edits[at % edits.length] ?? '', country: countryCode };
}

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
