import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { zstdDecompressSync } from 'node:zlib';
import { entityFormats, partyFormats } from '../../src/exports/manifest.ts';
import { engines } from '../harness/databases.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { fileAddress } from '../harness/exports.ts';
import { run } from '../harness/process.ts';
import { startService, type TestService } from '../harness/service.ts';
import { until } from '../harness/until.ts';
import { company } from '../registry/gb-file.ts';
import { type Duck, openDuck } from './duck.ts';

interface Listed {
  readonly generation: number;
  readonly format: string;
  readonly rows: number;
  readonly leftOut: readonly string[];
  readonly files: readonly { readonly path: string; readonly url: string; readonly sha256: string }[];
}

for (const engine of engines) {
  describe(`from an import to a query, on ${engine}`, () => {
    let service: TestService;
    let duck: Duck;
    let key: string;
    let env: Record<string, string>;
    before(async () => {
      service = await startService(engine);
      duck = await openDuck();
      key = await service.createKey({ plan: 'pro' });
      const { dataDir, databaseUrl } = service.database;
      env = { DATA_DIR: dataDir, KEEP_EXPORTS: '1', ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
      await importSynthetic(service, 'lv', 200);
      await importSynthetic(service, 'gb', 50);
    });
    after(async () => {
      duck?.close();
      await service?.[Symbol.asyncDispose]();
    });

    const request = (address: string, headers: Record<string, string> = {}) =>
      fetch(address, { headers: { authorization: `Bearer ${key}`, ...headers }, redirect: 'manual' });
    const list = async () => {
      const { data } = (await (await request(`${service.url}/api/v1/exports`)).json()) as { data: Listed[] };
      return data;
    };
    const countFound = async (query: string): Promise<number> =>
      (await service.client.get(`/api/v1/entities?pageSize=1&${query}`)).body.meta.total;

    /** Runs the command for all formats, and returns what the server then offers of the generation. */
    async function exportEverything(generation: number): Promise<Listed[]> {
      for (const format of entityFormats) {
        const ended = await run(['export', '--format', format, '--rows-per-file', '80'], env);
        assert.equal(ended.code, 0, ended.stderr);
      }
      for (const format of partyFormats) {
        const { code, stderr } = await run(['export', '--format', format], env);
        assert.equal(code, 1);
        assert.match(stderr, /nothing to export: no parties are imported, or PARTIES switches them off/);
      }
      const offered = async () => (await list()).filter((each) => each.generation === generation);
      await until('all formats are offered', async () => (await offered()).length === entityFormats.length);
      return offered();
    }

    /** In two parts, as after an interruption. */
    async function download({ path, url, sha256 }: Listed['files'][0]): Promise<string> {
      const first = await request(url, { range: 'bytes=0-99' });
      const etag = first.headers.get('etag') ?? '';
      assert.deepEqual([first.status, etag], [206, `"${sha256}"`]);
      const rest = await request(url, { range: 'bytes=100-', 'if-range': etag });
      assert.equal(rest.status, 206);
      const bytes = Buffer.concat([await first.bytes(), await rest.bytes()]);
      assert.equal(hash('sha256', bytes), sha256, path);
      const place = join(service.database.dataDir, 'downloads', path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, bytes);
      return place;
    }

    test('exports are made, downloaded, queried and replaced', async () => {
      const offered = await exportEverything(2);
      const places: Record<string, string[]> = {};
      for (const { format, files, rows } of offered) {
        assert.equal(rows, 250, 'invented companies are exported, whatever the licence of the publisher');
        assert.ok(files.length >= 4);
        places[format] = [];
        for (const file of files) places[format].push(await download(file));
      }
      const folder = join(service.database.dataDir, 'downloads');
      const parquet = `read_parquet('${folder}/parquet/entities/*/*.parquet', hive_partitioning = true)`;
      for (const [sql, query] of [
        ['true', ''],
        ["country = 'LV'", 'country=lv'],
        ["country = 'GB'", 'country=gb'],
        ["status = 'active' AND register = 'lv'", 'status=active&register=lv'],
      ] as const) {
        const [counted] = await duck.all(`SELECT count(*) AS n FROM ${parquet} WHERE ${sql}`);
        assert.equal(Number(counted?.n), await countFound(query), sql);
      }
      const [cells] = await duck.all(
        `SELECT count(*) AS n FROM read_csv('${folder}/csv/entities/*/*.csv', all_varchar = true, header = true, quote = '"', escape = '"')`,
      );
      assert.equal(Number(cells?.n), 250);
      const lines = (places.ndjson ?? []).flatMap((place) =>
        zstdDecompressSync(readFileSync(place)).toString().trimEnd().split('\n'),
      );
      assert.equal(lines.length, 250);
      const { text } = await service.client.get(`/api/v1/entities/${JSON.parse(lines[0] ?? '').id}`);
      assert.equal(text, `{"data":${lines[0]}}`);
      key = await service.createKey({ plan: 'free' });
      assert.equal((await request(`${service.url}/api/v1/exports`)).status, 403);
      key = await service.createKey({ plan: 'pro' });

      const latest = async (name: string) => {
        const path = `${name}/manifest.json`;
        return (await request(service.url + fileAddress(path, 'latest'))).headers.get('location');
      };
      assert.equal(await latest('csv'), fileAddress('csv/manifest.json', 2));
      // A file of the publisher, whose licence is unknown.
      await importCompanies(service, [company('00000001', 'NEW LTD')]);
      assert.equal((await run(['export', '--rows-per-file', '80'], env)).code, 0);
      await until('latest has moved', async () => (await latest('parquet'))?.includes('/3/'));
      assert.equal(await latest('csv'), fileAddress('csv/manifest.json', 2), 'until there is a new one');
      for (const { rows, leftOut } of await exportEverything(3)) assert.deepEqual([rows, leftOut], [200, ['gb']]);
      assert.equal(await latest('csv'), fileAddress('csv/manifest.json', 3));
      assert.deepEqual([...new Set((await list()).map(({ generation }) => generation))], [3]);
      for (const { files } of offered) {
        const gone = await request(files[0]?.url ?? '');
        const { error } = (await gone.json()) as { error: { code: string } };
        assert.deepEqual([gone.status, error.code], [404, 'export_not_found']);
      }
    });
  });
}
