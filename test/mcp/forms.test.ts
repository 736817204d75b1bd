import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { createTools } from '../../src/mcp/mcp.ts';
import { useMeteredService } from '../api/metered-service.ts';
import { modernHeaders, modernMessage } from './connect.ts';

/** UUIDv5 of GB/gb/00000001. */
const ALPHA = '8cfb7733-0cb1-511b-8310-bbbf2455fb10';

type Arguments = Readonly<Record<string, unknown>>;

/** Values of all arguments of every tool. `alone` has arguments that exclude each other. A new tool needs an entry. */
const samples: Readonly<Record<string, { readonly given: Arguments; readonly alone?: readonly Arguments[] }>> = {
  search_companies: {
    given: {
      q: 'alpha',
      country: 'GB',
      register: 'gb',
      status: 'active',
      legalForm: 'Private Limited Company',
      sort: '-updatedAt',
      page: 1,
    },
    alone: [
      { activity: '62012' },
      { legalFormCode: 'AS' },
      { isic: '62' },
      { elf: 'H0PO' },
      { legalFormClass: 'limited_company' },
      { registeredFrom: '2020-01-31' },
      { registeredTo: '2020-01-31' },
    ],
  },
  match_company: { given: { name: 'alpha ltd', country: 'GB', registrationNumber: '00000001', city: 'London' } },
  get_company: { given: { id: ALPHA, sourceData: true } },
  list_countries: { given: {} },
  recent_changes: {
    given: { since: '2020-01-01', country: 'GB', register: 'gb', type: 'loaded' },
    alone: [{ companyId: ALPHA }, { cursor: 'not a cursor' }],
  },
  check_registration_number: { given: { number: '00000001', country: 'GB' } },
  verify_provenance: { given: { id: ALPHA } },
};

/** Every message in every revision, by name. */
const revisionForms: Readonly<Record<string, (params: object, id?: unknown) => Sent>> = {
  '2025, without a header': (params, id = 1) => ({ body: message(params, id), headers: {} }),
  '2025-11-25': (params, id = 1) => ({ body: message(params, id), headers: { 'MCP-Protocol-Version': '2025-11-25' } }),
  '2025-06-18': (params, id = 1) => ({ body: message(params, id), headers: { 'mcp-protocol-version': '2025-06-18' } }),
  '2026-07-28': (params, id = 1) => {
    const body = modernMessage('tools/call', params, id);
    return { body, headers: modernHeaders(body) };
  },
};

/** Headers that mean the same, in the spellings that clients and proxies use. */
const headerForms: readonly ((key: string) => Readonly<Record<string, string>>)[] = [
  (key) => ({ Authorization: `Bearer ${key}` }),
  (key) => ({ AUTHORIZATION: `bearer  ${key}` }),
  (key) => ({ 'X-API-Key': key }),
  (key) => ({ 'x-api-key': key, Authorization: 'Basic eDp5' }),
  (key) => ({ 'X-Api-Key': key, 'Content-Type': 'application/json; charset=utf-8' }),
  (key) => ({ 'X-Api-Key': key, 'content-type': 'Application/JSON;charset="UTF-8"' }),
  (key) => ({ 'X-Api-Key': key, Accept: 'text/event-stream;q=0.5, application/json' }),
  (key) => ({ 'X-Api-Key': key, 'Accept-Encoding': 'identity', Connection: 'close' }),
];

interface Sent {
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

interface Received {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends header names as they are spelled, which `fetch` does not. Later headers replace earlier ones of the same name. */
function send(url: string, body: string, ...headers: readonly Readonly<Record<string, string>>[]) {
  const all = new Map<string, [string, string]>();
  const defaults = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  for (const [name, value] of [defaults, ...headers].flatMap((each) => Object.entries(each))) {
    all.set(name.toLowerCase(), [name, value]);
  }
  return new Promise<Received>((resolve, reject) => {
    const sent = request(`${url}/mcp`, { method: 'POST', headers: Object.fromEntries(all.values()) }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on('data', (chunk) => chunks.push(chunk));
      reply.on('end', () => {
        const { statusCode: status = 0, headers: received } = reply;
        resolve({ status, type: received['content-type'] ?? '', text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function message(params: object, id: unknown): object {
  return { jsonrpc: '2.0', ...(id !== undefined && { id }), method: 'tools/call', params };
}

/** What a tool returned, whatever the revision adds to it. */
function resultOf({ status, type, text }: Received, id: unknown, name: string) {
  assert.equal(status, 200, `${name}: ${text}`);
  assert.match(type, /^application\/json/, name);
  const { result, error, id: received } = JSON.parse(text);
  assert.equal(error, undefined, `${name}: ${text}`);
  assert.equal(received, id, name);
  return { content: result.content, data: result.structuredContent, isError: result.isError === true };
}

describe('every tool in every form of call', () => {
  const metered = useMeteredService('sqlite');
  const tools = () => createTools(metered.service.services);

  /** Calls a tool in one form. */
  async function call(
    key: string,
    name: string,
    given: unknown,
    { revision = '2025-11-25', headers = {}, id = 1 } = {},
  ) {
    const form = revisionForms[revision] ?? assert.fail(revision);
    const { body, headers: own } = form({ name, ...(given !== undefined && { arguments: given }) }, id);
    const reply = await send(metered.service.url, JSON.stringify(body), { 'x-api-key': key }, own, headers);
    return resultOf(reply, id, `${name} ${JSON.stringify(given)} in ${revision}`);
  }

  test('every tool has samples of all its arguments', () => {
    assert.deepEqual(
      tools().map(({ name }) => name),
      Object.keys(samples),
    );
    for (const { name, input } of tools()) {
      const { given, alone = [] } = samples[name] ?? assert.fail(name);
      const named = [given, ...alone].flatMap((each) => Object.keys(each)).toSorted();
      assert.deepEqual(named, Object.keys(input.properties).toSorted(), name);
    }
  });

  test('revisions, ids and header spellings do not change the result', async () => {
    const { secret } = await metered.newKey('business');
    for (const { name } of tools()) {
      const { given } = samples[name] ?? assert.fail(name);
      const expected = await call(secret, name, given);
      assert.equal(expected.isError, false, JSON.stringify(expected));
      assert.match(expected.content[0].text, /ALPHA LTD|2 companies|was loaded|00000001/, name);
      for (const revision of Object.keys(revisionForms)) {
        for (const id of (name === 'list_countries'
          ? [1, 0, -7, 'text', '1', 9_007_199_254_740_991]
          : [1]) as number[]) {
          assert.deepEqual(await call(secret, name, given, { revision, id }), expected, `${name} ${revision} ${id}`);
        }
        const { body, headers: own } = revisionForms[revision]?.({ name, arguments: given }) ?? assert.fail(revision);
        for (const form of headerForms) {
          const headers = form(secret);
          const reply = await send(metered.service.url, JSON.stringify(body), own, headers);
          const label = `${name} ${revision} ${Object.entries(headers).join()}`;
          assert.deepEqual(resultOf(reply, 1, label), expected, label);
        }
      }
    }
  });

  test('optional arguments can be omitted one by one', async () => {
    const { secret } = await metered.newKey('business');
    for (const { name, input } of tools()) {
      const { given } = samples[name] ?? assert.fail(name);
      const required = new Set<string>(input.required ?? []);
      for (const left of Object.keys(given)) {
        const rest = Object.fromEntries(Object.entries(given).filter(([argument]) => argument !== left));
        const { isError, content } = await call(secret, name, rest);
        assert.equal(isError, required.has(left), `${name} without ${left}`);
        if (isError) assert.match(content[0].text, new RegExp(`^invalid_request: The argument "${left}" `));
      }
      const without = await call(secret, name, undefined);
      assert.deepEqual(without, await call(secret, name, {}), `${name} without arguments`);
      assert.equal(without.isError, required.size > 0, name);
    }
  });

  test('unknown arguments and values of another type are rejected, and cost nothing', async () => {
    const key = await metered.newKey('business');
    for (const { name, input } of tools()) {
      const { given } = samples[name] ?? assert.fail(name);
      for (const revision of ['2025-11-25', '2026-07-28']) {
        const unknown = await call(key.secret, name, { ...given, nonsense: 1 }, { revision });
        assert.match(unknown.content[0].text, /^invalid_request: Unknown argument "nonsense": /, name);
        for (const argument of Object.keys(input.properties)) {
          const wrong = await call(key.secret, name, { ...given, [argument]: { a: [] } }, { revision });
          assert.match(wrong.content[0].text, new RegExp(`^invalid_request: The argument "${argument}" `));
        }
      }
    }
    const [, quota] = await metered.counts(key);
    assert.equal(quota, 0);
  });

  test('registers without data are not listed, and countries without data are planned', async () => {
    const { secret } = await metered.newKey();
    const { data, content } = await call(secret, 'list_countries', {});
    assert.deepEqual(
      data.registers.map(({ id, companies }: { id: string; companies: number }) => [id, companies]),
      [['gb', 2]],
    );
    assert.deepEqual(
      data.countries.map(({ code }: { code: string }) => code),
      ['GB'],
    );
    assert.ok(data.planned.includes('NO') && !data.planned.includes('GB'));
    assert.match(
      content[0].text,
      /^1 country: GB\. Planned: .*NO.*\. Registers:\n- gb \(GB\): [^\n]+, 2 companies, [^\n]+$/,
    );
  });
});
