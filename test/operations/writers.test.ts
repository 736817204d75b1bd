import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { type ErrorCode, statusOf } from '../../src/base/errors.ts';
import { findPlan } from '../../src/base/plans.ts';
import { createApiKey } from '../../src/base/secrets.ts';
import { portalCaller } from '../../src/base/usage.ts';
import { limitsOf, type TestKey, useMeteredService } from '../api/metered-service.ts';
import { fileAddress, writeExport } from '../exports/exports.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { until } from '../harness/until.ts';
import { callMessage, post } from '../mcp/connect.ts';

/** A request for data, whichever way it is sent. */
interface Wanted {
  readonly operation: keyof typeof OPERATIONS;
  readonly given: Readonly<Record<string, string>>;
  readonly isValid: boolean;
}

/** Where each operation of the API is found again: as a tool, and as a page of the portal. */
const OPERATIONS = {
  searchEntities: { path: '/api/v1/entities', tool: 'search_companies' },
  getEntity: { path: '/api/v1/entities', tool: 'get_company' },
  matchEntity: { path: '/api/v1/match', tool: 'match_company' },
  listCountries: { path: '/api/v1/countries', tool: 'list_countries' },
  downloadExport: { path: '/api/v1/exports', tool: undefined },
} as const;

/** Something that turns replies of the executor into bytes. */
interface Writer {
  readonly name: string;
  readonly credential: 'key' | 'session';
  /** Whether this writer has the operation, with this request. */
  carries(wanted: Wanted, plan: 'free' | 'business'): boolean;
  send(url: string, wanted: Wanted, key: TestKey): Promise<Response>;
}

const get =
  (headers: Readonly<Record<string, string>>, more: Readonly<Record<string, string>> = {}): Writer['send'] =>
  (url, { operation, given }, key) => {
    const { id, ...parameters } = { ...given, ...more };
    const path = id === undefined ? '' : `/${encodeURIComponent(id)}`;
    const query = new URLSearchParams(parameters);
    return fetch(`${url}${OPERATIONS[operation].path}${path}?${query}`, { headers: { ...key.headers, ...headers } });
  };

const submit = (url: string, key: TestKey, form: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(url, { method: 'POST', headers: key.session.headers, body: new URLSearchParams(form) });

const isSearch = ({ operation }: Wanted) => operation === 'searchEntities';
const isFile = ({ operation }: Wanted) => operation === 'downloadExport';
const isData = (wanted: Wanted) => !isFile(wanted);

const WRITERS: readonly Writer[] = [
  {
    name: 'a file',
    credential: 'key',
    carries: isFile,
    send: (url, { given }, key) => fetch(url + given.address, { headers: key.headers }),
  },
  {
    name: 'a file of the portal',
    credential: 'session',
    carries: isFile,
    send: (url, { given }, { session: { headers } }) =>
      fetch(url + given.address?.replace('/api/v1', '/dashboard'), { headers }),
  },
  { name: 'a data route', credential: 'key', carries: isData, send: get({}) },
  { name: 'a condition', credential: 'key', carries: isData, send: get({ 'if-none-match': '"other"' }) },
  { name: 'a page as CSV', credential: 'key', carries: isSearch, send: get({ accept: 'text/csv' }) },
  {
    name: 'a whole result',
    credential: 'key',
    carries: (wanted, plan) => isSearch(wanted) && wanted.given.page === undefined && plan !== 'free',
    send: get({ accept: 'application/x-ndjson' }, { page: 'all' }),
  },
  {
    name: 'a list of one query',
    credential: 'key',
    carries: ({ operation, isValid }) => operation === 'matchEntity' && isValid,
    send: (url, { given }, key) =>
      fetch(`${url}/api/v1/match`, {
        method: 'POST',
        headers: { ...key.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ queries: [given] }),
      }),
  },
  {
    name: 'a tool',
    credential: 'key',
    carries: isData,
    send(url, { operation, given }, key) {
      const { page, ...texts } = given;
      const call = callMessage(OPERATIONS[operation].tool ?? '', { ...texts, ...(page && { page: Number(page) }) });
      return post({ url }, call, key.headers);
    },
  },
  {
    name: 'a page',
    credential: 'session',
    // Any address that is not of a record is a page that does not exist.
    carries: ({ operation, isValid }) => operation === 'searchEntities' || (operation === 'getEntity' && isValid),
    send(url, { given }, { session: { headers } }) {
      const path = given.id === undefined ? `/explore?${new URLSearchParams(given)}` : `/entities/${given.id}`;
      return fetch(url + path, { headers });
    },
  },
  {
    name: 'a download',
    credential: 'session',
    // The form takes what its page has accepted before.
    carries: (wanted) => isSearch(wanted) && wanted.isValid,
    send: (url, { given }, key) => submit(`${url}/explore/download`, key, { ...given, units: '1' }),
  },
  {
    name: 'a page for trying',
    credential: 'session',
    carries: isData,
    send: (url, { operation, given }, key) => submit(`${url}/docs/try/${operation}`, key, given),
  },
];

const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

const valid = (operation: Wanted['operation'], ...given: Wanted['given'][]) =>
  given.map((each) => ({ operation, given: each, isValid: true }));
const invalid = (operation: Wanted['operation'], given: Wanted['given']) => ({ operation, given, isValid: false });

const REQUESTS: readonly Wanted[] = [
  ...valid('searchEntities', { q: 'alpha' }, { q: 'no such name', country: 'GB' }, { q: 'ltd', page: '2' }),
  ...valid('getEntity', { id: ALPHA }, { id: '00000000-0000-5000-8000-000000000000' }),
  ...valid('matchEntity', { name: 'Alpha Limited' }, { name: 'no such name', country: 'GB' }),
  ...valid('listCountries', {}),
  ...valid('downloadExport', { address: fileAddress() }, { address: fileAddress('nothing') }),
  invalid('searchEntities', { q: 'alpha', page: '0' }),
  invalid('searchEntities', { q: 'alpha', country: 'nowhere' }),
  invalid('getEntity', { id: 'malformed' }),
  invalid('matchEntity', { name: 'a', country: 'nowhere' }),
];

const asker = fc.record({
  plan: fc.constantFrom('free', 'business'),
  isKnown: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  /** How much is left of the rate window and of the quota. */
  window: fc.constantFrom('all', 'one', 'nothing'),
  quota: fc.constantFrom('all', 'one', 'nothing'),
});
type Asker = typeof asker extends fc.Arbitrary<infer Value> ? Value : never;
const UNLIMITED: Asker = { plan: 'business', isKnown: true, window: 'all', quota: 'all' };

const SERIES = /^((?:http_request_duration_seconds_count|mcp_tool_calls_total)\{.*\}) (\d+)$/gm;

for (const engine of usualEngines) {
  describe(`every writer of replies on ${engine}`, () => {
    const metered = useMeteredService(engine);
    before(async () => void (await writeExport(`${metered.service.database.dataDir}/exports`)));

    async function readMetrics(): Promise<Map<string, number>> {
      const { text } = await metered.service.services.metrics.render();
      return new Map([...text.matchAll(SERIES)].map(([, series = '', count]) => [series, Number(count)]));
    }

    /** Sends the request as a new account with this much left. Returns everything that must not depend on the writer. */
    async function ask(writer: Writer, request: Wanted, { plan, isKnown, window, quota }: Asker) {
      const { service, newKey, setWindow, setQuota, counts } = metered;
      const { name, credential } = writer;
      const key = await newKey(plan);
      const { requestsPerMinute, monthlyRequests } = findPlan(plan);
      const caller = credential === 'key' ? key.caller : portalCaller(key.caller);
      const counted = { ...key, caller };
      const usedOf = (limit: number, left: Asker['window']) => (left === 'all' ? 0 : limit - (left === 'one' ? 1 : 0));
      const before = [usedOf(requestsPerMinute, window), usedOf(monthlyRequests, quota)] as const;
      await setWindow(counted, before[0]);
      await setQuota(counted, before[1]);
      const metrics = await readMetrics();
      const lines = service.logLines.length;

      const sent = isKnown ? key : { ...key, headers: { 'x-api-key': createApiKey('live') } };
      const response = await writer.send(service.url, request, sent);
      const body = await response.text();
      await service.executor.whenDelivered();
      await until('the request is logged', () => service.logLines.length > lines);

      const code = codeOf(response, body);
      const after = await counts(counted);
      const logged = service.logLines.slice(lines).map((line) => JSON.parse(line));
      assert.deepEqual(
        logged.map(({ status, accountId, keyId }) => ({ status, accountId, keyId })),
        [
          {
            status: response.status,
            accountId: isKnown ? caller.accountId : null,
            keyId: isKnown && credential === 'key' ? caller.keyId : null,
          },
        ],
        `${name}: one log line that names the account`,
      );
      const [{ method, route }] = logged;
      const changed = [...(await readMetrics())].filter(([series, count]) => count !== (metrics.get(series) ?? 0));
      const ofRequest = changed.filter(([series]) => series.startsWith('http_'));
      assert.equal(ofRequest.length, 1, name);
      for (const label of [`method="${method}"`, `route="${route}"`, `status="${response.status}"`])
        assert.ok(ofRequest[0]?.[0].includes(label), `${name}: ${ofRequest[0]?.[0]} has ${label}`);
      assert.equal(
        changed.length - 1,
        name === 'a tool' && isKnown ? 1 : 0,
        `${name}: only tools are counted as calls`,
      );
      return {
        status: code === undefined ? response.status : statusOf(code),
        code,
        counted: after[0] - before[0],
        charged: after[1] - before[1],
        limits: credential === 'key' ? limitsOf(response) : undefined,
        left: /([\d,]+) left in this period/.exec(body)?.[1]?.replaceAll(',', ''),
      };
    }

    test('any operation has the same outcome, limits, charge, log line and metric through each of them', async () => {
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...REQUESTS), asker, async (request, who) => {
          const writers = WRITERS.filter(
            ({ carries, credential }) => carries(request, who.plan) && (who.isKnown || credential === 'key'),
          );
          const [first, ...others] = writers;
          assert.ok(first);
          const expected = await ask(first, request, who);
          assert.equal(expected.charged, expected.status === 200 ? 1 : 0);
          for (const writer of others) {
            const { status, code, counted, charged, limits, left } = await ask(writer, request, who);
            const { name } = writer;
            assert.deepEqual(
              { status, counted, charged },
              { status: expected.status, counted: expected.counted, charged: expected.charged },
              name,
            );
            // Pages show no codes and have no headers of limits. Those with results say what is left of the quota.
            if (writer.credential === 'key') assert.deepEqual([code, limits], [expected.code, expected.limits], name);
            else if (left !== undefined) assert.equal(left, expected.limits?.[4], name);
          }
        }),
        // Each request at least once with nothing in its way.
        { numRuns: runs(30, 200), examples: REQUESTS.map((request) => [request, UNLIMITED]) },
      );
    });
  });
}

/** The code of an error, if the reply says it. A tool starts the text of its error with it. */
function codeOf({ headers, status }: Response, body: string): ErrorCode | undefined {
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined;
  const { error, result } = JSON.parse(body);
  if (status !== 200) return error.code;
  return result?.isError === true ? result.content[0].text.split(':')[0] : undefined;
}
