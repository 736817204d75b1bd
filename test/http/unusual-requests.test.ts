import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { DETAIL } from '../api/metered-service.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader } from './pipelined-client.ts';

const REQUESTS = readFileSync(new URL('unusual-requests.tsv', import.meta.url), 'utf8')
  .replaceAll('{detail}', DETAIL)
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'));

/** A body, its media type, and what is said about it. */
const BODIES: readonly (readonly [body: string, type: string, status: number, message: RegExp])[] = [
  ['', 'application/json', 400, /is empty/],
  ['{', 'application/json', 400, /not valid JSON/],
  ['{"__proto__":{}}', 'application/json', 400, /not valid JSON/],
  ['{"a":[{"\\u005f_proto__":1}]}', 'application/json', 400, /not valid JSON/],
  ['{"constructor":{"prototype":1}}', 'application/json', 400, /not valid JSON/],
  ['{"constructor":"x"}', 'application/json', 400, /queries/],
  ['\ufeff{"queries":1}', 'application/json', 400, /queries/],
  ['{"queries":[{"name":"a"}]}', 'Application/JSON ; charset=UTF-8', 200, /^/],
  ['{}', 'application/json; charset=latin1', 415, /UTF-8/],
  ['{}', 'text/plain', 415, /application\/json/],
  ['{}', 'json', 415, /application\/json/],
  ['{}', 'application/json, text/plain', 415, /application\/json/],
];

describe('unusual requests', () => {
  const service = useService('sqlite');
  let key = '';
  before(async () => {
    await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
    key = await service.createKey();
  });

  for (const [status, line = '', ...headers] of REQUESTS) {
    test(`${line} ${headers}`, async () => {
      const lines = [`${line} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...headers, '\r\n'];
      const reply = await exchange(service.url, lines.join('\r\n'));
      assert.equal(reply.status, Number(status));
      const keepsOpen = !headers.includes('Connection: close') && !headers.includes('Expect: tea');
      assert.equal(findHeader(reply, 'connection'), keepsOpen ? 'keep-alive' : 'close');
      if (reply.status >= 400) assert.equal(findHeader(reply, 'cache-control'), 'no-store');
    });
  }

  for (const [body, type, status, message] of BODIES) {
    test(`${type}: ${JSON.stringify(body)}`, async () => {
      const headers = { 'x-api-key': key, 'content-type': type };
      const reply = await fetch(`${service.url}/api/v1/match`, { method: 'POST', headers, body: Buffer.from(body) });
      const { error } = (await reply.json()) as { error?: { message: string } };
      assert.equal(reply.status, status);
      assert.match(error?.message ?? '', message);
      // Bodies that cannot be read count in the rate window, and cost no quota.
      assert.ok(reply.headers.has('x-ratelimit-remaining'));
    });
  }
});
