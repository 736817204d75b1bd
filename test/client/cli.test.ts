import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { commands } from '../../clients/typescript/src/cli/commands.ts';
import { followPatiently } from '../../clients/typescript/src/cli/follow.ts';
import { createTable } from '../../clients/typescript/src/cli/table.ts';
import { cutText, measure, printable, printableJson } from '../../clients/typescript/src/cli/text.ts';
import { CursorExpired, createClient } from '../../clients/typescript/src/index.ts';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { until } from '../harness/until.ts';
import { useFolder } from '../harness/use.ts';
import { publishChanges } from '../journal/journal.ts';
import { company } from '../registry/gb-file.ts';
import { runCli } from './fake-terminal.ts';
import { sendError, sendJson, startScript } from './scripted-server.ts';

const HOSTILE = 'ACME \u001b[2J\u009b31m \u202eEVIL LTD';
const COMPANIES = Array.from({ length: 130 }, (_, at) => company(`${10_000_000 + at}`, `ACME ${1000 + at} LTD`));

describe('the command line of the client', () => {
  const service = useService('sqlite');
  const folder = useFolder();
  let env: Record<string, string>;
  before(async () => {
    await importCompanies(service, COMPANIES);
    env = { FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
  });

  let day = Date.parse('2026-03-01T06:00:00Z');
  async function publish(...names: readonly string[]): Promise<void> {
    const changes = names.map((name) => {
      return { type: 'added', country: 'GB', register: 'gb', after: [name, 'active', null, null] } as const;
    });
    await publishChanges(service.services.registryDb, { register: 'gb', publishedAt: day++, changes });
  }

  test('search prints a table, says how many there are, and prints one object per line with --json', async () => {
    const table = await runCli(['search', 'acme', '10', '--fragment', '--country', 'gb', '--limit', '3'], env);
    assert.equal(table.code, 0);
    const [header, first, ...rest] = table.out.trimEnd().split('\n');
    assert.match(header ?? '', /^NAME +COUNTRY +NUMBER +STATUS +CITY +ID$/);
    assert.match(first ?? '', /^ACME 1000 LTD +GB +10000000 +active +[0-9a-f-]{36}$/);
    assert.equal(rest.length, 2);
    assert.equal(table.notes, '3 of 100 companies. --limit shows more, --all shows all.\n');
    const all = await runCli(['search', 'acme', '--all', '--json'], env);
    const numbers = all.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).registrationNumber);
    assert.deepEqual(
      numbers,
      COMPANIES.map(({ CompanyNumber }) => CompanyNumber),
    );
    assert.equal(all.notes, '');
    assert.match((await runCli(['search', 'ltd', '1000'], env)).out, /ACME 1000 LTD/);
    const unknown = await runCli(['search', 'acme', '--country', 'uk'], env);
    assert.equal(unknown.notes, 'No company matches. There is no country UK: did you mean GB?\n');
    assert.equal((await runCli(['search', '--limit', '120'], env)).out.trimEnd().split('\n').length, 121);
    assert.deepEqual(await runCli(['search', 'nothing like it'], env), {
      code: 0,
      out: '',
      notes: 'No company matches.\n',
    });
  });

  test('get prints a record for people, and the complete one with --json', async () => {
    const [line = ''] = (await runCli(['search', '10000007', '--json'], env)).out.split('\n');
    const { id } = JSON.parse(line);
    const { out } = await runCli(['get', id], env);
    assert.match(out, /^ACME 1007 LTD\n\n {2}id +[0-9a-f-]{36}\n {2}country +GB\n {2}number +10000007 \(national, /);
    assert.match(out, /^ {2}file +companies\.csv, row 9$/m);
    assert.match(out, /^ {2}hash +sha256:[0-9a-f]{64}$/m);
    const record = JSON.parse((await runCli(['get', id, '--json'], env)).out);
    assert.equal(record.id, id);
    assert.ok(Object.values(record.sourceData).includes('ACME 1007 LTD'));
  });

  test('changes: a cursor continues after the change it came with, and an unfiltered end is kept', async () => {
    const { notes } = await runCli(['changes', '--cursor', 'now'], env);
    const [, start = ''] = /^To continue from here: --cursor (\S+)\n$/.exec(notes) ?? [];
    await publish('FIRST LTD', 'SECOND LTD', 'THIRD LTD');
    const one = await runCli(['changes', '--cursor', start, '--limit', '1', '--json'], env);
    const { cursor, after: values } = JSON.parse(one.out);
    assert.equal(values.canonicalName, 'FIRST LTD');
    assert.equal(one.notes, `To continue from here: --cursor ${cursor}\n`);
    const rest = await runCli(['changes', '--cursor', cursor], env);
    assert.match(rest.out, /^TIME.*\n2026-03-01 06:00 .* GB +added .*SECOND LTD\n.*THIRD LTD\n$/);
    const file = join(folder, 'filtered');
    const filtered = await runCli(['changes', '--cursor', start, '--cursor-file', file, '--type', 'delisted'], env);
    assert.deepEqual([filtered.out.split('\n').length, filtered.notes], [2, '']);
    assert.equal((await runCli(['changes', '--cursor-file', file, '--json'], env)).out, '');
  });

  test('changes --follow writes the cursor after each change, continues without gap or repetition, and stops at once', async () => {
    const file = join(folder, 'followed');
    const names: string[] = [];
    async function follow(stopAfter: number): Promise<number> {
      const stopping = new AbortController();
      const { code } = await runCli(['changes', '--follow', '--json', '--cursor-file', file], env, {
        signal: stopping.signal,
        async print(text) {
          const { after: values, cursor } = JSON.parse(text);
          assert.notEqual(readFileSync(file, 'utf8').trim(), cursor, 'written before the change was printed');
          names.push(values.canonicalName);
          if (names.length === stopAfter) stopping.abort();
        },
      });
      return code;
    }
    const first = follow(1);
    await until('it has its first cursor', () => existsSync(file));
    await publish('A LTD');
    assert.equal(await first, 130);
    await publish('B LTD', 'C LTD');
    assert.equal(await follow(3), 130);
    await publish('D LTD');
    assert.equal(await follow(4), 130);
    assert.deepEqual(names, ['A LTD', 'B LTD', 'C LTD', 'D LTD']);
  });

  test('names cannot control the terminal, and JSON keeps them exactly', async () => {
    await publish(HOSTILE);
    const plain = await runCli(['changes', '--all'], env);
    assert.match(plain.out, /ACME \\u\{1b\}\[2J\\u\{9b\}31m \\u\{202e\}EVIL LTD\n/);
    const json = await runCli(['changes', '--all', '--json'], env);
    for (const { out } of [plain, json]) assert.doesNotMatch(out.replaceAll('\n', ''), /[\p{Cc}\p{Cf}]/u);
    assert.equal(JSON.parse(json.out.trimEnd().split('\n').at(-1) ?? '').after.canonicalName, HOSTILE);
  });

  test('errors say what to do, and never contain the key', async () => {
    const invalid = `${env.FIRMAMENT_KEY}x`;
    const cursorFile = join(folder, 'unreadable');
    writeFileSync(cursorFile, 'nonsense');
    const cases: [args: string[], change: Record<string, string>, code: number, says: RegExp][] = [
      [['search', 'x'], { FIRMAMENT_KEY: '' }, 2, /^There is no API key: create one at http:.*\/dashboard, then run/],
      [['search', 'x'], { FIRMAMENT_KEY: invalid }, 1, /does not accept the key in FIRMAMENT_KEY: check it, or create/],
      [['search', 'x'], { FIRMAMENT_KEY: `${invalid} ` }, 2, /^FIRMAMENT_KEY must have only visible/],
      [['search', 'x'], { FIRMAMENT_URL: 'localhost' }, 2, /^FIRMAMENT_URL is not an address/],
      [
        ['search', 'x'],
        { FIRMAMENT_KEY: '', FIRMAMENT_URL: 'http://u:pw@x/y' },
        2,
        /create one at http:\/\/x\/y\/dashboard,/,
      ],
      [['search', 'x'], { FIRMAMENT_URL: 'ftp://x' }, 2, /^FIRMAMENT_URL must be an http or https address/],
      [
        ['search', 'x'],
        { FIRMAMENT_URL: 'http://127.0.0.1:1' },
        1,
        /^There is no reply from http:\/\/127.0.0.1:1: is the/,
      ],
      [['search', 'x', '--contry', 'gb'], {}, 2, /^Unknown option "--contry"\. Did you mean "--country"\? See "npx/],
      [['search', 'x', '--zzz'], {}, 2, /^Unknown option "--zzz"\. The options are .*--country.* See "npx/],
      [['serch', 'x'], {}, 2, /^Unknown command "serch"\. Did you mean "search"\? See "npx/],
      [['search', 'x', '--country'], {}, 2, /^--country needs a value\. See "npx @firmament\/client search --help"/],
      [['search', 'x', '--json=1'], {}, 2, /^--json takes no value/],
      [['search', 'x', '--limit', '0'], {}, 2, /^--limit needs a whole number/],
      [['search', 'x', '--limit', '1', '--all'], {}, 2, /^Use either --limit or --all/],
      [['search', 'x', '--status', 'dead'], {}, 2, /"status" must be "active"/],
      [['get'], {}, 2, /^get needs one id/],
      [['get', 'x'], {}, 2, /must be a UUID/],
      [['get', '00000000-0000-4000-8000-000000000000'], {}, 1, /^There is no company with this id/],
      [['changes', 'x'], {}, 2, /^changes takes no arguments, but "x" was given/],
      [['changes', '--follow', '--all'], {}, 2, /^--follow has no end/],
      [['changes', '--cursor-file', folder], {}, 2, /^The cursor file cannot be used: EISDIR/],
      [['changes', '--cursor-file', cursorFile], {}, 2, /^The query parameter "cursor"/],
      [['changes', '--cursor', 'nonsense'], {}, 2, /^The query parameter "cursor"/],
      [['serch\u001b[2J'], {}, 2, /^Unknown command "serch\\u\{1b\}\[2J"\. The commands are search, get, changes/],
      [[], {}, 2, /^Say what to do/],
    ];
    for (const [args, change, code, says] of cases) {
      const ended = await runCli(args, { ...env, ...change });
      assert.match(ended.notes, says, args.join(' '));
      assert.deepEqual([ended.code, ended.out], [code, ''], args.join(' '));
      assert.ok(!ended.notes.includes(env.FIRMAMENT_KEY ?? ''), args.join(' '));
    }
  });

  test('an exhausted quota, a full minute and an expired cursor are explained', async () => {
    const replies: [code: string, status: number, headers: Record<string, string>, says: RegExp][] = [
      [
        'monthly_quota_exceeded',
        429,
        { 'retry-after': '86400' },
        /The next period starts at 20.*Plans: http.*dashboard/,
      ],
      [
        'rate_limit_exceeded',
        429,
        { 'retry-after': '0' },
        /^(All requests of this minute are used: .*\n){3}.*Try again/,
      ],
      ['cursor_expired', 410, {}, /no longer kept\. Run the command with "--cursor oldest"/],
      ['internal_error', 500, {}, /Message of internal_error\. \(request b6a3a9d2-/],
    ];
    for (const [code, status, headers, says] of replies) {
      await using server = await startScript((response) => sendError(response, status, code, headers));
      const ended = await runCli(['changes', '--limit', '1'], { ...env, FIRMAMENT_URL: server.url });
      assert.match(ended.notes, says);
      assert.equal(ended.code, 1);
    }
  });

  test('changes --follow waits for a service that is away, and goes on where it was', async () => {
    const page = (nextCursor: string) => ({ data: [], meta: { nextCursor, hasMore: true, oldest: 'a' } });
    await using server = await startScript((response, _, count) => {
      if (count === 1) sendJson(response, page('b'));
      else if (count <= 3) sendError(response, 503, 'service_unavailable');
      else if (count === 4) response.destroy();
      else if (count === 5) sendJson(response, page('c'));
      else sendError(response, 410, 'cursor_expired');
    });
    const { changes } = createClient({ url: server.url, attempts: 1, backoff: 1 });
    const notes: string[] = [];
    const cursors: string[] = [];
    await assert.rejects(async () => {
      const pages = followPatiently(changes, { cursor: 'a' }, {}, (note) => notes.push(note), 1);
      for await (const { meta } of pages) cursors.push(meta.nextCursor);
    }, CursorExpired);
    assert.deepEqual(cursors, ['b', 'c']);
    assert.equal(notes.length, 1);
    const sent = server.requests.map(({ url }) => new URL(url, server.url).searchParams.get('cursor'));
    assert.deepEqual(sent, ['a', 'b', 'b', 'b', 'b', 'c']);
  });

  test('every command has help, which fits the terminal', async () => {
    const names = Object.keys(commands);
    const calls = [
      ['--help'],
      ['-h'],
      ['help'],
      ...names.flatMap((name) => [
        [name, '--help'],
        [name, '-h'],
        ['help', name],
      ]),
    ];
    for (const args of calls) {
      const pages = await Promise.all([undefined, 80, 100, 200].map((width) => runCli(args, {}, { width })));
      const [unknown, narrow, full, wide] = pages.map(({ out }) => out.split('\n'));
      assert.ok(pages.every(({ code }) => code === 0));
      // Lines are filled up to the width of the terminal, and up to 100 characters where it is wider or not known.
      const longest = (lines: readonly string[] = []) => Math.max(...lines.map((line) => line.length));
      assert.ok(longest(narrow) <= 80 && longest(full) > 80 && longest(full) <= 100, args.join(' '));
      assert.deepEqual([wide, unknown], [full, full], args.join(' '));
    }
    const overview = (await runCli(['--help'], {})).out;
    for (const name of names) assert.match(overview, new RegExp(`^ {2}${name} `, 'm'));
    assert.match((await runCli(['--version'], {})).out, /^\d+\.\d+\.\d+\n$/);
  });
});

const COLUMNS = [{ title: 'NAME', canCut: true }, { title: 'COUNTRY' }, { title: 'ID', width: 36 }];
const OMIT = ['COUNTRY', 'ID'];

describe('tables of the command line', () => {
  test('fit every terminal, also with wide and combining characters', () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 16, max: 120 }), fc.array(cell, { maxLength: 5 }), cell, (width, names, later) => {
        const rows = names.map((name) => [name, 'GB', 'x'.repeat(36)]);
        const table = createTable({ width, hasColour: false }, COLUMNS, rows, OMIT);
        for (const line of [table.header, ...[...rows, [later, 'GB', null]].map(table.renderRow)]) {
          assert.ok(measure(line.slice(0, -1)) <= width, JSON.stringify(line));
        }
      }),
    );
  });

  test('leave columns out in order, and cut before', () => {
    const rows = [['A NAME THAT IS LONG', 'GB', 'x'.repeat(36)]];
    const render = (width: number) =>
      createTable({ width, hasColour: false }, COLUMNS, rows, OMIT).renderRow(rows[0] ?? []);
    assert.equal(render(80), `A NAME THAT IS LONG  GB       ${'x'.repeat(36)}\n`);
    assert.equal(render(63), `A NAME THAT IS…   GB       ${'x'.repeat(36)}\n`);
    assert.equal(render(60), `A NAME THAT IS LONG  ${'x'.repeat(36)}\n`);
    assert.equal(render(20), 'A NAME THAT IS LONG\n');
  });

  test('have colour only if wanted', () => {
    const header = (hasColour: boolean) =>
      createTable({ width: undefined, hasColour }, [{ title: 'A' }], [], []).header;
    assert.deepEqual([header(true), header(false)], ['\x1b[1mA\x1b[0m\n', 'A\n']);
  });
});

describe('text of the command line', () => {
  test('has nothing that controls a terminal, and JSON keeps its value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
        for (const shown of [printable(text), printableJson({ text }).trimEnd()]) {
          assert.doesNotMatch(shown, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        }
        assert.deepEqual(JSON.parse(printableJson({ text }, 2)), { text });
      }),
    );
  });

  test('is measured in columns', () => {
    assert.deepEqual(['ACME', '株式会社', 'e\u0301', 'Зоря', '한국'].map(measure), [4, 8, 1, 4, 4]);
    assert.equal(cutText('株式会社', 6), '株式…');
    assert.equal(printable(`a${'\u0301'.repeat(50)}`), `a${'\u0301'.repeat(3)}…`);
  });
});
