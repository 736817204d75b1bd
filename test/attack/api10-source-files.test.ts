import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createDatabase, usualEngines } from '../harness/databases.ts';
import { importCompanies } from '../harness/entities.ts';
import { run } from '../harness/process.ts';
import { startService } from '../harness/service.ts';
import { company, GB_HEADER, writeGb } from '../registry/gb-file.ts';

/** Hostile company names, which a register might publish. */
const NAMES = [
  '<script>alert(document.domain)</script> LTD',
  '"><img src=x onerror=alert(1)> LTD',
  '=HYPERLINK("http://evil.example";"x") LTD',
  "'; DROP TABLE entities; -- LTD",
  '{{7*7}} #{7*7} <%= 7*7 %> LTD',
  '\u001b[2J\u001b[31mRED LTD',
  'RIGHT \u202eDTL TFEL LTD',
  'LINE\u2028SEPARATED LTD',
  'ZERO\u200bWIDTH LTD',
  '../../../etc/passwd LTD',
  '__proto__',
  'constructor',
  'toString',
  `${'LONG '.repeat(2_000)}LTD`,
  '\u{1f4a9} LTD',
  '\ufffd\ufffe LTD',
  'null',
  '%00%0d%0aSet-Cookie:a=b LTD',
];

/** With an escape sequence, a control character above ASCII and a character that reverses the reading direction. */
const UNKNOWN_STATUS = 'Turned \u001b[2J\u009b31m\u202eturned';

/** API10:2023 Unsafe Consumption of APIs: register files are input like any other. */
for (const engine of usualEngines) {
  describe(`API10 hostile source files on ${engine}`, () => {
    test('names are stored as published, can be searched, and are sent as JSON that browsers do not render', async () => {
      await using service = await startService(engine);
      const rows = NAMES.map((name, index) => company(`09${String(index).padStart(6, '0')}`, name));
      await importCompanies(service, rows);
      const all = await service.client.get('/api/v1/entities?pageSize=100');
      assert.equal(all.body.meta.total, NAMES.length);
      const written = new Map<string, string>();
      for (const { id } of all.body.data) {
        const { status, headers, body } = await service.client.get(`/api/v1/entities/${id}`);
        assert.equal(status, 200);
        assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(headers.get('set-cookie'), null);
        written.set(body.data.sourceData[' CompanyNumber'], body.data.sourceData.CompanyName);
      }
      assert.deepEqual(
        NAMES.map((_, index) => written.get(`09${String(index).padStart(6, '0')}`)),
        NAMES,
      );
      for (const name of NAMES) {
        const { body } = await service.client.get(
          `/api/v1/entities?${new URLSearchParams({ q: [...name].slice(0, 150).join('') })}`,
        );
        assert.ok(body.meta.total >= 1, `search does not find ${name.slice(0, 40)}`);
      }
      assert.equal(Reflect.get({}, 'polluted'), undefined);
    });

    test('column names such as __proto__ are kept, and control characters do not reach the terminal', async () => {
      const database = await createDatabase(engine);
      try {
        const columns = [
          '__proto__',
          'constructor',
          '\u001b[2Jcleared',
          'two\u009b31mcolours',
          'forged\u2028line',
          '<b>',
        ];
        const header = `${GB_HEADER},${columns.join(',')}`;
        // Object.fromEntries creates an own property `__proto__`; an object literal would set the prototype.
        const extra = Object.fromEntries(columns.map((name) => [name, `value of ${name}`]));
        const rows = [
          company('07000001', 'HOSTILE LTD', { ...extra, IncorporationDate: '\u001b[31m99/99/9999\u0007' }),
          company('07000002', 'UNKNOWN LTD', { ...extra, CompanyStatus: UNKNOWN_STATUS }),
          ...Array.from({ length: 600 }, (_, index) => company(`0800${1_000 + index}`, `FILLER ${index} LTD`, extra)),
        ];
        const folder = mkdtempSync(join(database.dataDir, 'in-'));
        const path = writeGb(folder, 'hostile.csv', rows, header);
        const env = { DATA_DIR: database.dataDir, ...(database.databaseUrl && { DATABASE_URL: database.databaseUrl }) };
        const ended = await run(['import', 'gb', path], env, database.dataDir);
        assert.equal(ended.code, 0, ended.stderr);
        assert.match(ended.stdout, /New columns.*__proto__.*cleared.*colours/);
        assert.doesNotMatch((ended.stdout + ended.stderr).replaceAll('\n', ''), /\p{Cc}|\p{Zl}/u);
        const listed = [
          await run(['import', 'gb', path, '--json', '--again'], env, database.dataDir),
          await run(['registers', '--unknown'], env, database.dataDir),
          await run(['registers', '--unknown', '--json'], env, database.dataDir),
        ];
        for (const { code, stdout, stderr } of listed) {
          assert.equal(code, 0, stderr);
          assert.match(stdout, /turned/);
          assert.doesNotMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\p{Cf}\p{Zl}]/u);
        }
        assert.ok(JSON.parse(listed[2]?.stdout ?? '').some(({ value }: { value: string }) => value === UNKNOWN_STATUS));

        await using service = await startService(engine, { database });
        const { body } = await service.client.get('/api/v1/entities?q=hostile');
        const { text } = await service.client.get(`/api/v1/entities/${body.data[0].id}`);
        for (const name of columns) assert.ok(text.includes(JSON.stringify(name)), `${JSON.stringify(name)} is lost`);
      } finally {
        await database.remove();
      }
    });
  });
}
