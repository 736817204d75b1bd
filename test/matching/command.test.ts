import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parseCsv } from '../exports/parse-csv.ts';
import { useDatabase } from '../harness/databases.ts';
import { run, start } from '../harness/process.ts';
import { until } from '../harness/until.ts';
import { company, writeGb } from '../registry/gb-file.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** SQLite: the command itself does not depend on the database. */
describe('firmament match', () => {
  const database = useDatabase('sqlite');
  let env: Record<string, string>;
  const path = (name: string) => join(database.dataDir, name);
  const write = (name: string, text: string | Buffer) => {
    writeFileSync(path(name), text);
    return path(name);
  };
  before(async () => {
    env = { DATA_DIR: database.dataDir };
    const rows = [company('00000001', 'ALBION ELM HOLDINGS LTD'), company('00000002', 'BRIGHTWATER FOODS LIMITED')];
    assert.equal((await run(['import', 'gb', writeGb(database.dataDir, 'gb.csv', rows)], env)).code, 0);
  });

  test('keeps all columns exactly, adds what was found, and reports what is wrong with a row', async () => {
    const list =
      'id;name;country;note\r\n7;"elm holdings; albion";gb;=1+1\r\n8;Nobody Knows This;;\r\n9;;;"a ""b"""\r\n10;x;GBR;\r\n';
    const out = path('matched.csv');
    const ended = await run(['match', write('names.csv', list), '--out', out], env);
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stderr, /rows +4\n +match +1\n +ambiguous +0\n +none +1\n +error +2\n/);
    const [header, ...rows] = parseCsv(readFileSync(out, 'utf8'));
    assert.deepEqual(header?.slice(0, 6), ['id', 'name', 'country', 'note', 'matchStatus', 'matchId']);
    assert.deepEqual(rows[0]?.slice(0, 5), ['7', 'elm holdings; albion', 'gb', '=1+1', 'match']);
    assert.deepEqual(rows[0]?.slice(6, 9), ['GB', '00000001', 'ALBION ELM HOLDINGS LTD']);
    assert.ok(Number(rows[0]?.[9]) > 0.5 && rows[0]?.[11] !== '');
    assert.deepEqual([rows[1]?.[4], rows[1]?.[5]], ['none', '']);
    assert.deepEqual([rows[2]?.[3], rows[2]?.[4]], ['a "b"', 'error']);
    assert.match(rows[3]?.[10] ?? '', /two-letter country code/);
    assert.ok(!existsSync(`${out}.partial`));
    const again = await run(['match', path('names.csv'), '--out', out], env);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /already exists\. Remove it or choose another file/);
  });

  test('one name per line, and a header without "name", whose first column has the names', async () => {
    const lines = await run(['match', write('names.txt', 'Brightwater, Foods\nAlbion Elm\n'), '--lines'], env);
    assert.equal(lines.code, 0, lines.stderr);
    const rows = parseCsv(lines.stdout);
    assert.deepEqual([rows.length, rows[1]?.[0], rows[1]?.[4]], [3, 'Brightwater, Foods', '00000002']);
    const vendors = await run(['match', write('vendors.csv', 'Vendor,City\nBrightwater Foods,LONDON\n')], env);
    assert.match(vendors.stderr, /Names are taken from the column "Vendor"\. If that is a company, use --lines\./);
    assert.match(vendors.stdout, /^Brightwater Foods,LONDON,match,/m);
  });

  test('wrong input and wrong usage are one sentence, and leave no file', async () => {
    const latin = write('latin.csv', Buffer.from('name\nM\xfcller\n', 'latin1'));
    for (const [args, code, message] of [
      [['match'], 2, /^match needs one file with names\. See/],
      [['match', 'a.csv', 'b.csv'], 2, /^match needs one file/],
      [['match', path('nothing.csv')], 1, /^File not found: /],
      [['match', database.dataDir], 1, /is not a regular file/],
      [['match', write('empty.csv', ''), '--out', path('o1.csv')], 1, /cannot be read: the list is empty\.\n$/],
      [['match', write('x.zip', Buffer.from('504b03040000', 'hex'))], 1, /cannot be read: this is a zip archive/],
      [['match', latin, '--out', path('o2.csv')], 1, /saved in another encoding/],
      [['match', path('names.txt'), '--out', join(path('no'), 'o.csv')], 1, /^The folder .* does not exist/],
    ] as const) {
      const ended = await run(args, env);
      assert.equal(ended.code, code, ended.stderr);
      assert.match(ended.stderr, message);
    }
    const left = readdirSync(database.dataDir).filter((name) => /^o\d|partial/.test(name));
    assert.deepEqual(left, []);
  });

  test('reads a pipe, and ends quietly when the reader of its output has gone', async () => {
    const command = `printf 'name\\nAlbion Elm Holdings\\n' | "${process.execPath}" "${MAIN}" match - 2>&1 | head -c 20`;
    const text = await new Promise<string>((resolve, reject) => {
      execFile('sh', ['-c', command], { env: { ...env, PATH: process.env.PATH } }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    assert.match(text, /^\ufeffname,matchStatus/);
  });

  test('a command that is stopped leaves no file, and none under the final name', async () => {
    const out = path('stopped.csv');
    const many = write('many.csv', `name\n${'Albion Elm Holdings\n'.repeat(400_000)}`);
    const child = start(['match', many, '--out', out], env);
    await until('it writes', () => existsSync(`${out}.partial`));
    child.kill('SIGTERM');
    const { code, stderr } = await child.ended;
    assert.equal(code, 1);
    assert.match(stderr, /Stopped: nothing was written\./);
    assert.deepEqual([existsSync(out), existsSync(`${out}.partial`)], [false, false]);
  });
});
