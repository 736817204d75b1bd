import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { DETAIL } from '../api/metered-service.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { exchange, findHeader } from './pipelined-client.ts';

/** Request line without a version, the status, and more header lines. Requests have `Host: x` and a key. */
const REQUESTS: readonly (readonly [line: string, status: number, ...headers: string[]])[] = [
  ['GET /api/v1/entities?q=%C5%81%C3%93d', 200],
  ['GET /api/v1/entities?q=%E0%A4', 400],
  ['GET /api/v1/entities?q=%', 400],
  ['GET /api/v1/entities?q=a%00b', 400],
  ['GET /api/v1/entities?page=%31', 200],
  ['GET /api/v1/entities?page=1e1', 400],
  ['GET /api/v1/entities?x=1', 400],
  ['GET /api/v1/entities?=', 400],
  ['GET /api/v1/entities?__proto__=1', 400],
  ['GET /api/v1/entities?q=a=b', 200],
  ['GET /api/v1/entities?q=a&q=b', 400],
  ['GET /api/v1/entities?', 200],
  ['GET /api/v1/countries?x=1', 400],
  ['GET /api/v1/countries/', 404],
  [`GET ${DETAIL}/`, 404],
  [`GET ${DETAIL}?x=1`, 400],
  ['GET /api/v1/entities/malformed', 400],
  ['GET /api/v1/entities/%E0%A4', 400],
  ['GET /api/v1/entities/', 404],
  ['GET /api/v1/Entities', 404],
  ['GET //api/v1/entities', 404],
  ['GET /api/v1/entities%3Fq=a', 404],
  ['GET /api/v1/./entities', 404],
  ['GET http://x/api/v1/entities', 200],
  ['GET http://y/api/v1/entities', 400],
  ['GET http://user@x/api/v1/entities', 400],
  ['POST /api/v1/countries', 405, 'Content-Length: 0'],
  ['GET /api/v1/countries', 200, 'Content-Length: 0'],
  ['GET /api/v1/countries', 400, 'Host: other.test'],
  ['GET /api/v1/countries', 400, 'Expect: tea'],
  ['GET /api/v1/countries', 200, 'Range: bytes=0-3'],
  ['GET /api/v1/countries', 200, 'Connection: close'],
  ['GET /api/v1/countries', 200, 'Connection: TE'],
  ['PROPFIND /api/v1/countries', 405],
  ['OPTIONS *', 404],
  ['GET *', 404],
];

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

  for (const [line, status, ...headers] of REQUESTS) {
    test(`${line} ${headers}`, async () => {
      const lines = [`${line} HTTP/1.1`, 'Host: x', `X-API-Key: ${key}`, ...headers, '\r\n'];
      const reply = await exchange(service.url, lines.join('\r\n'));
      assert.equal(reply.status, status);
      const keepsOpen = !headers.includes('Connection: close') && !headers.includes('Expect: tea');
      assert.equal(findHeader(reply, 'connection'), keepsOpen ? 'keep-alive' : 'close');
      if (status >= 400) assert.equal(findHeader(reply, 'cache-control'), 'no-store');
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
