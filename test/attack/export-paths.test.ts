import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { fileAddress, writeExport } from '../harness/exports.ts';
import { speakRaw } from '../harness/raw.ts';
import { startService, type TestService } from '../harness/service.ts';

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
  let service: TestService;
  let key: string;
  let folder: string;
  before(async () => {
    service = await startService('sqlite');
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
  after(() => service[Symbol.asyncDispose]());

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
