import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { fileAddress, writeExport } from '../exports/exports.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { codeOf, type TestKey, useMeteredService } from './metered-service.ts';

const LIST = '/api/v1/exports';
const FILE = fileAddress();
const CONTENT = Buffer.from('PAR1 a British file PAR1');

describeOn(usualEngines, 'exports', (engine) => {
  const metered = useMeteredService(engine);
  const { get, newKey, counts } = metered;
  const folder = () => `${metered.service.database.dataDir}/exports`;
  const head = (path: string, { headers }: TestKey) => metered.service.client.request('HEAD', path, { headers });
  before(async () => {
    await writeExport(folder(), { countries: { GB: CONTENT, LV: Buffer.from('x') } });
    await writeExport(folder(), { format: 'csv' });
    await writeExport(folder(), { generation: 2, format: 'csv' });
  });

  test('200: the list has every complete export, the newest generation first', async () => {
    const key = await newKey('pro');
    const { status, body, headers } = await get(LIST, key);
    assert.equal(status, 200);
    const names = body.data.map(({ generation, format }: Record<string, unknown>) => `${generation} ${format}`);
    assert.deepEqual(names, ['2 csv', '1 parquet', '1 csv']);
    const { registers, files, ...rest } = body.data[1];
    const base = `${metered.service.url}/api/v1/exports/1/parquet`;
    assert.deepEqual(rest, {
      generation: 1,
      dataVersion: '0.1.0.1-mgx1k2j0',
      createdAt: '2026-03-02T03:20:00.000Z',
      format: 'parquet',
      rows: 2,
      bytes: CONTENT.length + 1,
      countries: ['GB', 'LV'],
      manifestUrl: `${base}/manifest.json`,
      licencesUrl: `${base}/LICENCES.md`,
      leftOut: [],
    });
    assert.deepEqual(registers.map(({ licence }: { licence: string }) => licence).length, 2);
    assert.equal(files[0].url, base.replace('/parquet', '') + '/' + files[0].path);
    assert.equal((await get(new URL(files[0].url).pathname, key)).text, CONTENT.toString());
    const again = await get(LIST, key, { 'if-none-match': headers.get('etag') ?? '' });
    assert.equal(again.status, 304);
  });

  test('200: a file has its hash as strong entity tag and may be cached for good, but only by its client', async () => {
    const key = await newKey('pro');
    for (const reply of [await get(FILE, key, { 'accept-encoding': 'gzip, br, zstd' }), await head(FILE, key)]) {
      const read = (name: string) => reply.headers.get(name);
      assert.equal(reply.status, 200);
      assert.match(read('etag') ?? '', /^"[0-9a-f]{64}"$/);
      assert.equal(read('cache-control'), 'private, immutable, max-age=31536000, no-transform');
      assert.equal(read('content-type'), 'application/vnd.apache.parquet');
      assert.equal(read('content-length'), String(CONTENT.length));
      assert.equal(read('content-encoding'), null);
      assert.equal(read('accept-ranges'), 'bytes');
      assert.equal(read('content-disposition'), 'attachment; filename="firmament-1-parquet-GB-part-0000.parquet"');
    }
    assert.equal((await get(fileAddress('parquet/manifest.json'), key)).body.generation, 1);
    const licences = await get(fileAddress('parquet/LICENCES.md'), key);
    assert.deepEqual(
      [licences.text, licences.headers.get('content-type')],
      ['# Licences\n', 'text/markdown; charset=utf-8'],
    );
  });

  test('302: latest leads to the newest generation that has the file, and costs no quota', async () => {
    const key = await newKey('pro');
    const follow = async (path: string) => (await get(fileAddress(path, 'latest'), key)).headers.get('location');
    assert.equal(await follow('parquet/manifest.json'), fileAddress('parquet/manifest.json', 1));
    assert.equal(await follow('csv/manifest.json'), fileAddress('csv/manifest.json', 2));
    await until('it is refunded', async () => (await counts(key))[1] === 0);
  });

  test('404 export_not_found, 416 range_not_satisfiable and 304 are refunded', async () => {
    const key = await newKey('pro');
    const { headers } = await get(FILE, key);
    for (const path of [fileAddress('parquet/nothing'), fileAddress(undefined, 3), fileAddress('', 1)]) {
      assert.equal(codeOf(await get(path, key)), '404 export_not_found', path);
    }
    const refused = await get(FILE, key, { range: 'bytes=24-' });
    assert.equal(codeOf(refused), '416 range_not_satisfiable');
    assert.equal(refused.headers.get('content-range'), 'bytes */24');
    const known = await get(FILE, key, { 'if-none-match': `"other", W/${headers.get('etag')}` });
    assert.deepEqual([known.status, known.headers.get('etag')], [304, headers.get('etag')]);
    assert.match(known.headers.get('cache-control') ?? '', /immutable/);
    await until('all but the first are refunded', async () => (await counts(key))[1] === 1);
    assert.equal((await get(FILE, key, { 'if-none-match': '*' })).status, 304);
    assert.equal((await counts(key))[1], 2, 'a client that names no tag pays as for the file');
  });
});

test('with EXPORT_BASE_URL, files are redirected there: one unit each, and their disk is not read', async () => {
  await using service = await startService('sqlite', { env: { EXPORT_BASE_URL: 'https://files.example.com/x/' } });
  const { path = '' } = (await writeExport(`${service.database.dataDir}/exports`)).files[0] ?? {};
  await rm(`${service.database.dataDir}/exports/1/parquet/${path}`);
  for (const method of ['GET', 'HEAD']) {
    const reply = await service.client.request(method, FILE, { headers: { range: 'bytes=0-1' } });
    const location = `https://files.example.com/x/1/parquet/${path}`;
    assert.deepEqual([reply.status, reply.headers.get('location'), reply.text], [302, location, '']);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
  }
  const { headers } = await service.client.get(LIST);
  assert.equal(headers.get('x-monthly-quota-remaining'), '999997');
});

const SECRET = 'a secret of the operator';

/** Paths that would leave the export if they were used as paths on the disk. The folder above has `secret.txt`. */
const PATHS = [
  '1/parquet/../../secret.txt 1/parquet/%2e%2e/%2e%2e/secret.txt 1/parquet/%2E%2E%2F%2E%2E%2Fsecret.txt',
  '1/parquet/..%2f..%2fsecret.txt 1/parquet/..%5c..%5csecret.txt 1/parquet/....//....//secret.txt',
  '1/parquet/%252e%252e/secret.txt 1/parquet/%c0%ae%c0%ae/secret.txt 1/%2e%2e/secret.txt %2e%2e/secret.txt',
  '..%2f/secret.txt 1/secret.txt 1//parquet/manifest.json 1/parquet//manifest.json 1/parquet/./manifest.json',
  '1/parquet/manifest.json/ 1/parquet/manifest.json%00 1/parquet/manifest.json%00.txt 1/parquet/%00 1/parquet/',
  '1/parquet 1/PARQUET/manifest.json 01/parquet/manifest.json 1e0/parquet/manifest.json +1/parquet/manifest.json',
  '1.0/parquet/manifest.json 9007199254740993/parquet/manifest.json 1/parquet.partial/manifest.json',
  '1/parquet/notes.txt 1/parquet/link.txt 1/parquet/entities/country=GB 1//etc/passwd 1/%2fetc%2fpasswd',
  '1/parquet/entities/__proto__ 1/constructor',
].flatMap((line) => line.split(' '));

describe('paths of exports', () => {
  const service = useService('sqlite');
  let key: string;
  let folder: string;
  before(async () => {
    key = await service.createKey();
    folder = `${service.database.dataDir}/exports`;
    await writeExport(folder);
    await writeFile(`${folder}/secret.txt`, SECRET);
    await writeFile(`${folder}/1/secret.txt`, SECRET);
    await writeFile(`${folder}/1/parquet/notes.txt`, SECRET);
    await symlink('../../secret.txt', `${folder}/1/parquet/link.txt`);
    await mkdir(`${folder}/1/parquet.partial`);
    await writeFile(`${folder}/1/parquet.partial/manifest.json`, SECRET);
  });

  /** Raw, because clients resolve dots before they send a path. */
  async function request(path: string): Promise<{ status: number; text: string }> {
    const [reply] = await speakRaw(
      service.url,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nConnection: close\r\n\r\n`,
    );
    return reply ?? assert.fail(`no reply to ${path}`);
  }

  test('only the files of a manifest can be read', async () => {
    for (const path of [...PATHS, ...PATHS.map((each) => each.replace(/^1\//, 'latest/'))]) {
      const { status, text } = await request(`/api/v1/exports/${path}`);
      assert.ok(status === 404 || status === 400, `${path} → ${status}`);
      assert.ok(!text.includes(SECRET), path);
    }
    assert.equal((await request(fileAddress())).status, 200, 'the test asks in the wrong way');
  });

  test('links, named pipes and folders in place of a file are not read', async () => {
    const place = `${folder}/1/parquet/entities/country=GB`;
    const file = `${place}/part-0000.parquet`;
    await rename(file, `${place}/kept`);
    const refuse = async (what: string) => {
      const { status, text } = await request(fileAddress());
      assert.ok([404, 500].includes(status) && !text.includes('British'), `${what} → ${status}`);
      await rename(file, `${place}/${what}`);
    };
    await symlink('kept', file);
    await refuse('link');
    execFileSync('mkfifo', [file]);
    await refuse('pipe');
    await mkdir(file);
    await refuse('folder');
    // The folder itself is a link.
    await rename(`${place}/kept`, file);
    assert.equal((await request(fileAddress())).status, 200);
    await rename(place, `${folder}/elsewhere`);
    await symlink(`${folder}/elsewhere`, place);
    assert.equal((await request(fileAddress())).status, 404);
  });

  test('a manifest with paths that leave its folder, or with text for headers, is not offered', async () => {
    const valid = (await writeExport(folder, { generation: 2 })).files[0];
    const paths = [
      '../../secret.txt',
      '/etc/passwd',
      'a/../../b',
      'x\r\nSet-Cookie: a=b',
      'a"b',
      '',
      'a//b',
      '.hidden',
      'a\0',
    ];
    for (const [at, path] of paths.entries()) {
      const files = [{ ...valid, path, country: 'GB', rows: 1, bytes: SECRET.length, sha256: '0'.repeat(64) }];
      await writeExport(folder, { generation: 10 + at, manifest: { files } });
    }
    await writeExport(folder, { generation: 30, manifest: { generation: 1 } });
    await writeFile(`${folder}/2/parquet/manifest.json`, '{');
    await using other = await startService('sqlite', { env: { EXPORT_DIR: folder } });
    const { body } = await other.client.get('/api/v1/exports');
    assert.deepEqual(
      body.data.map(({ generation }: { generation: number }) => generation),
      [1],
    );
    const reports = other.logLines.filter((line) => line.includes('an export is not offered'));
    assert.equal(reports.length, paths.length + 2);
  });
});

/**
 * What needs a paid plan, by the file that says so. A file that says so and is not listed here fails the last test, so that every paid
 * operation is tried with every way of asking.
 */
const PAID: Readonly<Record<string, readonly string[]>> = {
  'src/api/exports.ts': ['/api/v1/exports', fileAddress(), fileAddress(undefined, 'latest'), fileAddress('nothing')],
  'src/api/search.ts': ['/api/v1/entities?page=all', '/api/v1/entities?q=a&country=GB&page=all'],
  'src/portal/pages/exports.ts': [fileAddress().replace('/api/v1', '/dashboard')],
};

describe('API5 what needs a paid plan', () => {
  test('is refused on the free plan, and costs nothing', async () => {
    await using service = await startService('sqlite');
    await writeExport(`${service.database.dataDir}/exports`);
    const session = await service.signIn({ plan: 'free' });
    const { accountId } = session.account;
    const { secret } = await service.services.apiKeys.create(accountId, 'free');
    const visit = { ...session.headers, 'sec-fetch-site': 'same-origin' };
    for (const path of Object.values(PAID).flat()) {
      const headers = { accept: 'text/csv', ...(path.startsWith('/dashboard') ? visit : { 'x-api-key': secret }) };
      for (const method of ['GET', 'HEAD']) {
        const { status } = await service.client.request(method, path, { headers, redirect: 'manual' });
        assert.equal(status, 403, `${method} ${path}`);
      }
    }
    const used = 'SELECT used FROM quotas WHERE account_id = $1 AND used > 0';
    assert.deepEqual(await service.services.accountsDb.all(used, [accountId]), []);
  });

  test('is listed here', () => {
    const files = globSync('src/**/*.ts').filter((file) => /\bplan: 'paid'/.test(readFileSync(file, 'utf8')));
    assert.deepEqual(files.toSorted(), Object.keys(PAID).toSorted());
  });
});
