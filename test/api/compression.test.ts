import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';
import { DETAIL } from './metered-service.ts';

/** Compression, and conditional requests in every content coding. `fetch` decompresses by itself, so requests are sent by `http`. */
const plain = (bytes: Buffer) => bytes;
const DECOMPRESS = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync, identity: plain };
type CodingName = keyof typeof DECOMPRESS;
const CODINGS = Object.keys(DECOMPRESS) as CodingName[];

const LARGE = ['/api/v1/entities?pageSize=100', '/api/v1/entities?pageSize=100&page=2', '/api/v1/countries', DETAIL];

/** The format of a search depends on `Accept`. */
const varyOf = (path: string) => (path.startsWith('/api/v1/entities?') ? 'Accept-Encoding, Accept' : 'Accept-Encoding');

describeOn(usualEngines, 'compression', (engine) => {
  const service = useService(engine);
  let key: string;
  before(async () => {
    const rows = Array.from({ length: 250 }, (_, at) => company(`${at + 1}`.padStart(8, '0'), `ALPHA ${at} LTD`));
    await importCompanies(service, rows);
    key = await service.createKey();
  });

  const send = (path: string, headers: Record<string, string>, method = 'GET') =>
    sendRequest(service.url + path, method, { 'x-api-key': key, ...headers });

  test('style sheets and pages have every coding too', async () => {
    for (const path of ['/docs/reference', '/assets/app.css', '/docs']) {
      const original = await send(path, {});
      for (const coding of CODINGS) {
        const { status, headers, body } = await send(path, { 'accept-encoding': coding });
        assert.deepEqual(
          [status, headers['content-encoding'] ?? 'identity', headers.vary],
          [200, coding, 'Accept-Encoding'],
        );
        assert.ok(DECOMPRESS[coding](body).equals(original.body), `${path} in ${coding}`);
      }
    }
  });

  test('every coding has the same content, Vary, Content-Length and its own ETag', async () => {
    for (const path of LARGE) {
      const tags = new Set<string>();
      const original = await send(path, {});
      for (const coding of CODINGS) {
        const reply = await send(path, { 'accept-encoding': coding });
        assert.equal(reply.status, 200);
        assert.equal(reply.headers['content-encoding'], coding === 'identity' ? undefined : coding, path);
        assert.deepEqual(DECOMPRESS[coding](reply.body), original.body, `${coding} ${path}`);
        assert.equal(reply.headers['content-length'], String(reply.body.length));
        assert.equal(reply.headers.vary, varyOf(path), path);
        if (coding !== 'identity') assert.ok(reply.body.length < original.body.length / 2);
        tags.add(reply.headers.etag ?? '');
      }
      assert.equal(tags.size, CODINGS.length, path);
      assert.ok(tags.has(original.headers.etag ?? ''));
    }
  });

  test('small replies and errors are not compressed, unless the client refuses plain ones', async () => {
    for (const path of ['/api/v1/entities?q=nothing+like+it', '/api/v1/entities?page=0', '/api/v1/health/live']) {
      const reply = await send(path, { 'accept-encoding': 'gzip, br, zstd' });
      assert.equal(reply.headers['content-encoding'], undefined, path);
      assert.equal(reply.headers.vary, varyOf(path), path);
      JSON.parse(reply.body.toString());
      const refused = await send(path, { 'accept-encoding': 'gzip, identity;q=0' });
      assert.equal(refused.headers['content-encoding'], 'gzip');
      JSON.parse(gunzipSync(refused.body).toString());
    }
    const nothing = await send('/api/v1/countries', { 'accept-encoding': 'identity;q=0, deflate' });
    assert.deepEqual([nothing.status, nothing.headers['content-encoding']], [200, undefined]);
  });

  test('every large JSON reply is compressed: account, keys, contract', async () => {
    const session = await service.signIn();
    for (let count = 0; count < 12; count++)
      await service.services.apiKeys.create(session.account.accountId, `k${count}`);
    for (const path of ['/api/v1/account', '/api/v1/api-keys', '/api/v1/openapi.json']) {
      const reply = await send(path, { ...session.headers, 'accept-encoding': 'gzip;q=0.5, br' });
      assert.deepEqual([reply.status, reply.headers['content-encoding']], [200, 'br'], path);
      JSON.parse(brotliDecompressSync(reply.body).toString());
    }
  });

  test('a tag gives 304 only in a coding that the client accepts, and only at its own URL', async () => {
    const known = new Map<string, { path: string; coding: CodingName; body: Buffer }>();
    for (const path of [
      ...LARGE,
      '/api/v1/entities?q=alpha',
      '/api/v1/entities?q=alph',
      '/api/v1/entities?country=GB',
    ]) {
      for (const coding of CODINGS) {
        const { headers, body } = await send(path, { 'accept-encoding': coding });
        const seen = known.get(headers.etag ?? '');
        assert.ok(seen === undefined || seen.path === path, `${path} and ${seen?.path} have the same tag`);
        known.set(headers.etag ?? '', { path, coding, body });
      }
    }
    for (const [tag, { path, coding }] of known) {
      for (const other of new Set([...known.values()].map((each) => each.path))) {
        for (const accepted of CODINGS) {
          const reply = await send(other, { 'accept-encoding': accepted, 'if-none-match': tag });
          // Every client accepts a plain body unless it refuses it.
          const isCurrent = other === path && (coding === 'identity' || coding === accepted);
          assert.equal(reply.status, isCurrent ? 304 : 200, `${tag} of ${path} at ${other}, accepting ${accepted}`);
          if (!isCurrent) continue;
          assert.deepEqual([reply.headers.etag, reply.body.length], [tag, 0]);
          assert.deepEqual([reply.headers['content-encoding'], reply.headers.vary], [undefined, varyOf(path)]);
        }
      }
    }
  });
});

interface Sent {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function sendRequest(url: string, method: string, headers: Record<string, string>): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, async (response) => {
      const body = Buffer.concat(await response.toArray());
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
    });
    sent.on('error', reject).end();
  });
}

describeOn(usualEngines, 'X-Data-Version', (engine) => {
  const service = useService(engine);
  before(async () => {
    await importCompanies(service, [company('00000001', 'ALPHA LTD'), company('00000002', 'BETA LTD')]);
  });
  const read = async (query: string, headers: Record<string, string> = {}) => {
    const reply = await service.client.get(`/api/v1/entities${query}`, { headers });
    return {
      status: reply.status,
      version: reply.headers.get('x-data-version'),
      tag: reply.headers.get('etag') ?? '',
    };
  };

  test('is the same for all searches, pages, formats and methods of one snapshot, and another after an import', async () => {
    const { version, tag } = await read('?pageSize=1');
    assert.match(version ?? '', /^\d+\.\d+\.\d+\.\d+-\w+$/);
    assert.ok(tag.startsWith(`"${version}.`));
    const others = [
      await read('?pageSize=1&page=2'),
      await read('?q=alpha'),
      await read('?pageSize=1', { 'if-none-match': '"another"' }),
      await read('', { accept: 'text/csv' }),
      await read('?page=all', { accept: 'application/x-ndjson' }),
    ];
    assert.deepEqual(
      others.map((other) => [other.status, other.version]),
      Array(5).fill([200, version]),
    );
    for (const query of ['', '?page=all']) {
      const head = await service.client.request('HEAD', `/api/v1/entities${query}`, {
        headers: { accept: 'text/csv' },
      });
      assert.equal(head.headers.get('x-data-version'), version);
    }
    await importCompanies(service, [company('00000003', 'GAMMA LTD')]);
    const changed = (await read('?pageSize=1')).version;
    assert.notEqual(changed, version);
    assert.equal((await read('?pageSize=1&page=2')).version, changed);
  });

  test('is a cursor: the place in the feed after the last change that the page shows', async () => {
    const { version } = await read('?q=alpha');
    const follow = async (cursor: string | null) =>
      service.client.get(`/api/v1/changes?cursor=${encodeURIComponent(cursor ?? '')}`);
    assert.deepEqual((await follow(version)).body.data, []);
    const names = ['ALPHA TWO LTD', 'ALPHA THREE LTD'];
    for (const name of names) await importCompanies(service, [company('00000001', name)]);
    const { body } = await follow(version);
    assert.deepEqual(
      body.data.map(({ after }: { after: { canonicalName: string } }) => after.canonicalName),
      names,
    );
    // Any release of the program reads the versions of another one.
    assert.deepEqual((await follow(`12.0.0-rc.1.${version?.split('.').at(-1)}`)).body, body);
    // A version of another history, as after a restore from a backup.
    assert.equal((await follow(`${version}0`)).body.error.code, 'cursor_expired');
    assert.equal((await follow('0.1.0')).body.error.code, 'invalid_request');
  });

  test('is missing in errors, 304 and other operations', async () => {
    const { tag } = await read('');
    assert.deepEqual(
      [(await read('?page=0')).version, (await read('', { 'if-none-match': tag })).version],
      [null, null],
    );
    const { headers } = await service.client.get('/api/v1/countries');
    assert.equal(headers.get('x-data-version'), null);
  });
});
