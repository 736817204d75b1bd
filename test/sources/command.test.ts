import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { readConfig } from '../../src/base/config/config.ts';
import { createDisplay, formatSize } from '../../src/base/terminal/progress.ts';
import { startHttp } from '../harness/http-server.ts';
import { run } from '../harness/process.ts';
import { useFolder } from '../harness/use.ts';
import { makeFile } from './fetching.ts';
import { usePublisher } from './publisher.ts';

describe('firmament fetch', () => {
  const publisher = usePublisher();
  const folder = useFolder();
  const env = { DATA_DIR: join(folder, 'data'), FETCH_SOURCES: join(folder, 'sources.json') };
  before(async () => {
    writeFileSync(
      env.FETCH_SOURCES,
      JSON.stringify({ lv: [`${publisher.url}/register.csv`], lt: [`${publisher.url}/gone.csv`] }),
    );
    publisher.offer('/register.csv', { body: await makeFile(50) });
  });

  test('prints a table, and exits with 0 for new and unchanged files', async () => {
    const check = await run(['fetch', 'lv', '--check'], env);
    assert.deepEqual([check.code, check.stderr], [0, '']);
    assert.match(check.stdout, /^lv +new files are available$/m);
    const first = await run(['fetch', 'lv'], env);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    assert.match(
      first.stdout,
      /^ID +RESULT +FILES +SIZE +FOLDER\n.*\nlv +new +1 +[\d.]+ kB +\S+sources\/lv\/\d{8}T\d{6}Z$/m,
    );
    assert.match((await run(['fetch', 'lv'], env)).stdout, /^lv +nothing new +1/m);
    assert.equal(statSync(env.DATA_DIR).mode & 0o777, 0o700);
    const agent = publisher.requests[0]?.headers['user-agent'];
    assert.match(agent ?? '', /^Firmament\/\d+\.\d+\.\d+ \(company register importer\)$/);
  });

  test('fetches the others when one fails, says why, and exits with 1', async () => {
    const ended = await run(['fetch', 'lt', 'lv', '--json'], env);
    assert.equal(ended.code, 1);
    const results = JSON.parse(ended.stdout);
    assert.deepEqual(
      results.map(({ register, outcome }: { register: string; outcome: string }) => [register, outcome]),
      [
        ['lt', 'failed'],
        ['lv', 'unchanged'],
      ],
    );
    assert.match(
      ended.stderr,
      /^lt: .*\/gone\.csv answered 404 \(not found\): correct its address in FETCH_SOURCES\.$/m,
    );
    assert.match(ended.stderr, /^Not fetched: lt\.$/m);
    assert.match((await run(['fetch', 'lt', 'lv'], env)).stdout, /^lt +failed *\nlv +nothing new +1 /m);
  });

  test('checks several registers at the same time, and leaves nothing of those that could not be checked', async () => {
    // Answers when all have asked: one after the other would wait for ever.
    const asked: (() => void)[] = [];
    await using server = await startHttp((_request, response) => {
      asked.push(() => response.writeHead(404).end());
      if (asked.length === 3) for (const answer of asked) answer();
    });
    const { url } = server;
    const sources = join(folder, 'three.json');
    writeFileSync(sources, JSON.stringify({ lv: [`${url}/lv.csv`], lt: [`${url}/lt.csv`], ee: [`${url}/ee.csv`] }));
    const dataDir = join(folder, 'unchecked');
    const ended = await run(['fetch', 'lv', 'lt', 'ee', '--check'], { DATA_DIR: dataDir, FETCH_SOURCES: sources });
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /^ee +failed *\nlt +failed *\nlv +failed *$/m);
    assert.doesNotMatch(ended.stderr, /Checking|█/);
    assert.deepEqual(readdirSync(join(dataDir, 'sources')), []);
  });

  test('prints the steps for a register that a person has to download, and exits with 1 if it was named', async () => {
    const ended = await run(['fetch', 'be'], { DATA_DIR: env.DATA_DIR });
    assert.equal(ended.code, 1);
    assert.match(ended.stdout, /^be +download by hand$/m);
    assert.match(ended.stderr, /^be: This register cannot be fetched automatically: Open https:\/\/kbopub\./m);
  });

  test('refuses a wrong register, a wrong file of addresses and a wrong proxy', async () => {
    assert.equal((await run(['fetch', 'xx'], env)).code, 2);
    const missing = await run(['fetch', 'lv'], { ...env, FETCH_SOURCES: join(folder, 'none.json') });
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /^FETCH_SOURCES names a file that cannot be read.*: ENOENT.*\n$/);
    const proxy = await run(['fetch', 'lv'], { ...env, HTTPS_PROXY: 'proxy:secret' });
    assert.deepEqual(
      [proxy.code, proxy.stderr],
      [1, 'HTTPS_PROXY is not a valid address: write it in full, such as http://proxy.example.com:3128.\n'],
    );
  });
});

describe('the settings of a fetch', () => {
  test('come from the usual variables, in lower case first', () => {
    const { keep, proxies, sourcesFile } = readConfig({
      https_proxy: 'http://a.example:3128',
      HTTPS_PROXY: 'http://b.example',
      HTTP_PROXY: 'http://c.example',
      NO_PROXY: '.internal',
      KEEP_SOURCES: '5',
      FETCH_SOURCES: '/etc/sources.json',
    }).fetch;
    assert.deepEqual(proxies, { http: 'http://c.example', https: 'http://a.example:3128', except: '.internal' });
    assert.deepEqual([keep, sourcesFile], [5, '/etc/sources.json']);
    assert.throws(() => readConfig({ KEEP_SOURCES: '0' }), /KEEP_SOURCES is "0"/);
  });
});

describe('the progress of a download', () => {
  test('shows size, speed and time left', (context) => {
    const shown: string[] = [];
    context.mock.method(
      performance,
      'now',
      (() => {
        let now = 0;
        return () => {
          now += 10_000;
          return now;
        };
      })(),
    );
    const show = (isTTY: boolean, total: number | null) => {
      const stream = { isTTY, write: (text: string) => shown.push(text) } as unknown as NodeJS.WriteStream;
      const display = createDisplay(stream);
      for (const done of [20_500_000, 30_500_000]) display.update({ text: 'lv register.csv', done, total });
    };
    show(false, 122_000_000);
    show(false, null);
    show(true, 122_000_000);
    assert.deepEqual(
      shown.filter((_, index) => index % 2 === 1),
      [
        ' 25 %  lv register.csv  30.5 MB of 122 MB, 1.0 MB/s, 1 min 32 s left\n',
        'lv register.csv  30.5 MB, 1.0 MB/s\n',
        `\r\x1b[K${'█'.repeat(7)}${'░'.repeat(21)}  25 %  lv register.csv  30.5 MB of 122 MB, 1.0 MB/s, 1 min 32 s left`,
      ],
    );
    assert.deepEqual([0, 999, 1_000, 1_234_567, 4_200_000_000].map(formatSize), [
      '0 B',
      '999 B',
      '1.0 kB',
      '1.2 MB',
      '4.2 GB',
    ]);
  });
});
