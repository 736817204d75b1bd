import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { minuteWindow } from '../../src/core/period.ts';
import type { PlanId } from '../../src/core/plans.ts';
import { createApiKey } from '../../src/core/secrets.ts';
import type { Caller } from '../../src/core/usage.ts';
import type { App } from '../../src/http/app-type.ts';
import { createDatabase, type Engine } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader, type SentReply } from './exchange.ts';
import type { KeyRole } from './lane-requests.ts';

/** The same app twice, each with a database of its own: once as shipped, once without the data lane. */
export interface LanePair {
  readonly withLane: LaneSide;
  readonly withoutLane: LaneSide;
}

/** What a request has left behind: everything except times and random ids. */
export interface Trace {
  readonly statusLine: string;
  readonly headers: readonly string[];
  readonly body: string;
  readonly lines: readonly LogLine[];
}

interface LogLine {
  readonly accountId: string | null;
}

export interface LaneSide {
  readonly service: TestService;
  readonly keys: Readonly<Record<KeyRole, string>>;
  /** How many requests have reached Fastify. */
  readonly ofFastify: () => number;
  send(request: string, requestId: string | undefined): Promise<Trace>;
  /** All counters of the meter, by role. */
  readCounts(): Promise<unknown>;
  /** How many requests the metrics have counted, by their labels. */
  readMetrics(): Promise<string[]>;
}

export interface PairOptions {
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts both before the tests of a suite and stops them after it. */
export function useLanePair(engine: Engine, { env = {} }: PairOptions = {}): () => LanePair {
  let pair: LanePair | undefined;
  before(async () => {
    const withLane = await startSide(engine, env, () => undefined);
    pair = { withLane, withoutLane: await startSide(engine, env, removeLane) };
  });
  after(async () => {
    await pair?.withLane.service[Symbol.asyncDispose]();
    await pair?.withoutLane.service[Symbol.asyncDispose]();
  });
  return () => pair ?? assert.fail('the services have not started');
}

/** Gives all requests to Fastify. */
export function removeLane(app: App): void {
  app.server.removeAllListeners('request').on('request', app.routing);
}

/** So many that a page of 100 is compressed in another thread. */
const COMPANIES = Array.from({ length: 110 }, (_, index) => {
  const name = index === 0 ? 'ALPHA LTD' : `ALPHA ${index} ŁÓDŹ & ${'VERY LONG NAME '.repeat(8)} CO LTD`;
  return company(String(index + 1).padStart(8, '0'), name);
});

async function startSide(engine: Engine, env: PairOptions['env'], change: (app: App) => void): Promise<LaneSide> {
  let ofFastify = 0;
  const service = await startService(engine, {
    database: await createDatabase(engine),
    limits: { guessDelayMs: 0 },
    env: { PUBLIC_URL: 'http://registry.test', ...env },
    extend(app) {
      change(app);
      app.addHook('onRequest', async () => void ofFastify++);
    },
  });
  await importCompanies(service, COMPANIES);
  const { keys, callers } = await createKeys(service);
  const { services, logLines } = service;
  const sql = 'SELECT used FROM quotas WHERE account_id = $1';
  const readUsed = async () => (await services.accountsDb.one<{ used: number }>(sql, [callers.good.accountId]))?.used;
  let charged = 0;
  const roles = new Map(
    Object.entries(callers).flatMap(([role, { keyId, accountId }]) => [
      [keyId, `key of ${role}`],
      [accountId, `account of ${role}`],
    ]),
  );

  async function send(request: string, requestId: string | undefined): Promise<Trace> {
    const before = logLines.length;
    const reply = await exchange(service.url, request);
    await until('the request is logged', () => logLines.length > before);
    const lines = logLines.slice(before).map((line) => describeLine(line, requestId));
    // The only 304 is the one to `If-None-Match: *`, which costs as much as the answer.
    if ((reply.status === 200 || reply.status === 304) && lines[0]?.accountId === 'account of good') charged++;
    // A reply does not wait for its refund, and the next one reports what is left.
    await until('each answer is charged once', async () => ((await readUsed()) ?? 0) === charged);
    // Less than a minute in as many requests as a minute allows.
    service.clock.advance(25);
    return { ...describeReply(reply, requestId), lines };
  }

  function describeLine(line: string, requestId: string | undefined): LogLine {
    const { time, durationMs, ...fields } = JSON.parse(line);
    assert.ok(time > 0 && durationMs >= 0, line);
    const name = (id: string | null) => (id === null ? null : (roles.get(id) ?? assert.fail(`unknown id ${id}`)));
    const id = fields.requestId === requestId ? 'as sent' : 'random';
    return { ...fields, requestId: id, accountId: name(fields.accountId), keyId: name(fields.keyId) };
  }

  return {
    service,
    keys,
    ofFastify: () => ofFastify,
    send,
    async readCounts() {
      const { accountsDb } = services;
      const windows = await accountsDb.all('SELECT key_id AS id, minute, used FROM rate_windows');
      const quotas = await accountsDb.all('SELECT account_id AS id, used FROM quotas');
      const daily = await accountsDb.all('SELECT key_id AS id, day, requests FROM usage_daily');
      const name = (rows: readonly object[]) =>
        rows.map((row) => JSON.stringify({ ...row, id: roles.get((row as { id: string }).id) })).toSorted();
      return { windows: name(windows), quotas: name(quotas), daily: name(daily) };
    },
    async readMetrics() {
      const { text } = await services.metrics.render();
      return text.split('\n').filter((line) => line.startsWith('http_request_duration_seconds_count{'));
    },
  };
}

async function createKeys(service: TestService) {
  const { services, clock } = service;
  const { accountsDb, apiKeys } = services;
  const add = async (plan: PlanId): Promise<[string, Caller]> => {
    const secret = await service.createKey({ plan });
    return [secret, (await apiKeys.findKey(secret)) ?? assert.fail('the new key is not found')];
  };
  const [good, goodCaller] = await add('business');
  const [limited, limitedCaller] = await add('free');
  const [spent, spentCaller] = await add('free');
  const { start } = minuteWindow(clock.now());
  await accountsDb.run('INSERT INTO rate_windows (key_id, minute, used, granted, most) VALUES ($1, $2, 60, 0, 60)', [
    limitedCaller.keyId,
    start,
  ]);
  await accountsDb.run(
    'INSERT INTO quotas (account_id, period_start, used, granted, most) VALUES ($1, $2, 1000, 0, 1000)',
    [spentCaller.accountId, Date.parse('2026-03-01T00:00:00Z')],
  );
  return {
    keys: { good, limited, spent, unknown: createApiKey('live'), malformed: 'frm_live_x' },
    callers: { good: goodCaller, limited: limitedCaller, spent: spentCaller },
  };
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/;
const DECOMPRESS = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };

function describeReply(reply: SentReply, requestId: string | undefined): Omit<Trace, 'lines'> {
  const { statusLine, status, headers, body } = reply;
  const coding = findHeader(reply, 'content-encoding') as keyof typeof DECOMPRESS | undefined;
  const hide = (text: string) => text.replace(UUID, (id) => (id === requestId ? '<id as sent>' : '<random id>'));
  // The body of an error contains the request id, so its compressed form differs.
  const isCodedError = status !== 200 && coding !== undefined;
  const described = headers.map(([name, value]) => {
    if (name === 'Date') assert.ok(!Number.isNaN(Date.parse(value)), value);
    const isRandom = name === 'Date' || (isCodedError && name === 'content-length');
    return `${name}: ${isRandom ? '<random>' : hide(value)}`;
  });
  const plain = isCodedError && body.length > 0 ? DECOMPRESS[coding](body) : body;
  return {
    statusLine,
    headers: described.toSorted(),
    body: status === 200 ? plain.toString('latin1') : hide(plain.toString()),
  };
}
