import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { fail } from '../../src/base/errors.ts';
import { parseCsv } from '../exports/parse-csv.ts';
import { importCompanies } from '../harness/entities.ts';
import type { TestSession } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { company } from '../registry/gb-file.ts';

const pack = (...lines: readonly string[]) => deflateRawSync(lines.join('\n')).toString('base64url');
const head = { header: ['name'], country: '', valid: 1, done: 0, page: 0 };
const writeHead = (changes: object) => JSON.stringify({ ...head, ...changes });
const hidden = (html: string) => /name="state" value="([^"]*)"/.exec(html)?.[1] ?? assert.fail(html);

describe('the page to match a list', () => {
  const service = useService('sqlite');
  before(async () => {
    await importCompanies(service, [
      company('00000001', 'ALBION ELM HOLDINGS LTD'),
      company('00000002', 'BRIGHTWATER FOODS LIMITED'),
      company('00000003', 'BRIGHTWATER FOODS LIMITED'),
    ]);
  });

  async function post(path: string, session: TestSession, fields: Record<string, string>) {
    const headers = { ...session.headers, accept: 'text/html' };
    const body = new URLSearchParams(fields);
    const reply = await fetch(service.url + path, { method: 'POST', redirect: 'manual', headers, body });
    const html = await reply.text();
    const text = html
      .replace(/<[^>]*>/g, ' ')
      .replaceAll('&quot;', '"')
      .replace(/\s+/g, ' ');
    return { status: reply.status, headers: reply.headers, html, text };
  }
  const usedBy = async ({ account }: TestSession) => (await service.services.meter.readUsage(account)).used;

  test('checks for free, says what it costs, matches, takes choices and gives the whole list back', async () => {
    const session = await service.signIn({ plan: 'free' });
    const list = 'ref,name\na,"elm holdings, albion"\nb,Brightwater Foods\nc,\nd,<b>Nobody</b>\n';
    const check = await post('/match', session, { list });
    assert.match(
      check.text,
      /4 rows\. The first names are “ elm holdings, albion ”, “ Brightwater Foods ”, “ .*Nobody.* ”, from the column “ name ”\./,
    );
    const { html: form } = await post('/match', session, { list: '', country: 'gb' });
    assert.match(form, /<option value="GB" selected>United Kingdom</, 'a list that cannot be used loses its country');
    assert.match(check.text, /1 row cannot be matched and uses no request Row 3: The field "name" must not be empty/);
    assert.match(check.text, /uses 3 of your 1,000 requests/);
    assert.equal(await usedBy(session), 0);
    const rows = await post('/match/rows', session, { state: hidden(check.html), units: '3' });
    assert.match(rows.text, /Used 3 requests; 997 left/);
    assert.match(rows.text, /1 match, 1 ambiguous, 1 no match, 1 error/);
    assert.ok(!rows.html.includes('<b>Nobody'));
    assert.equal(await usedBy(session), 3);
    const state = hidden(rows.html);
    const kept = await post('/match/download', session, { state, c0: '1' });
    assert.match(kept.headers.get('content-disposition') ?? '', /matched-\d{4}-\d\d-\d\d\.csv/);
    const table = parseCsv(kept.html);
    assert.deepEqual(
      table.map((row) => [row[0], row[2]]),
      [
        ['ref', 'matchStatus'],
        ['a', 'match'],
        ['b', 'ambiguous'],
        ['c', 'error'],
        ['d', 'none'],
      ],
    );
    assert.equal(table[1]?.[5], '00000001');
    assert.match(
      table[2]?.slice(3, 8).join() ?? '',
      /^[0-9a-f-]{36},GB,0000000[23],BRIGHTWATER FOODS LIMITED,0\.\d{3}$/,
    );
    const chosen = parseCsv((await post('/match/download', session, { state, c0: '0', c1: '2' })).html);
    assert.deepEqual([chosen[1]?.[2], chosen[1]?.[3]], ['none', '']);
    const without = parseCsv((await post('/match/download', session, { state, c1: '0' })).html);
    assert.deepEqual([without[2]?.[2], without[2]?.[3]], ['none', '']);
    const watched = await post('/match/watch', session, { state, c1: '2' });
    const [, ids = ''] = /<textarea[^>]*name="list"[^>]*>([^<]*)</.exec(watched.html) ?? [];
    assert.deepEqual(ids.split('\n'), [table[1]?.[3], chosen[2]?.[3]]);
    assert.equal(chosen[2]?.[2], 'chosen');
    assert.match(chosen[2]?.[5] ?? '', /^0000000[23]$/);
    assert.equal(await usedBy(session), 3, 'choosing and downloading are free');
  });

  test('a long list goes page by page, or all at once; earlier choices stay', async () => {
    const session = await service.signIn({ plan: 'free' });
    const list = Array.from({ length: 40 }, () => 'Albion Elm Holdings').join('\n');
    const check = await post('/match', session, { list, country: 'gb' });
    assert.match(check.text, /the next 25 rows uses 25 of your/);
    assert.match(check.text, /Match all and download uses 40 of your/);
    const first = await post('/match/rows', session, { state: hidden(check.html), units: '25' });
    assert.match(first.text, /Rows 1 to 25 of 40/);
    const second = await post('/match/rows', session, { state: hidden(first.html), units: '15', c0: '0', c1: '1' });
    assert.match(second.text, /Rows 26 to 40 of 40/);
    assert.doesNotMatch(second.html, /Match all and download/);
    const table = parseCsv((await post('/match/download', session, { state: hidden(second.html), c25: '1' })).html);
    assert.deepEqual([table.length, table[1]?.[1], table[2]?.[1], table[26]?.[1]], [41, 'none', 'match', 'match']);
    assert.equal(await usedBy(session), 40);
    const all = await post('/match/all', session, { state: hidden(check.html), units: '40' });
    assert.equal(parseCsv(all.html).filter((row) => row[1] === 'match').length, 40);
    assert.equal(await usedBy(session), 80);
  });

  test('never costs more than the button said, and nothing if the quota is too small', async () => {
    const session = await service.signIn({ plan: 'free' });
    const state = hidden((await post('/match', session, { list: 'a\nb\nc' })).html);
    assert.equal((await post('/match/rows', session, { state, units: '2' })).status, 400);
    await service.services.meter.takeUnits(
      { ...session.account, keyId: 'portal' },
      session.account.plan.monthlyRequests - 2,
    );
    const refused = await post('/match/rows', session, { state, units: '3' });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /Not enough requests left This uses 3 requests, and you have 2 requests left/);
    assert.ok(hidden(refused.html), 'the list is not lost');
    assert.equal(await usedBy(session), session.account.plan.monthlyRequests - 2);
  });

  test('a search index that does not answer costs nothing and keeps the list', async (t) => {
    const session = await service.signIn({ plan: 'free' });
    const state = hidden((await post('/match', session, { list: 'Albion Elm Holdings' })).html);
    const { mock } = t.mock.method(service.services.matcher, 'match', async () => {
      throw fail('service_unavailable');
    });
    const failed = await post('/match/rows', session, { state, units: '1' });
    assert.equal(failed.status, 503);
    assert.match(failed.text, /Nothing was matched .* No request was used/);
    assert.equal(await usedBy(session), 0);
    mock.restore();
    const again = await post('/match/rows', session, { state: hidden(failed.html), units: '1' });
    assert.match(again.text, /Used 1 request/);
  });

  test('a list that cannot be used is shown again with the reason; visitors sign in first', async () => {
    const session = await service.signIn();
    for (const [list, message] of [
      ['', /The list cannot be read: the list is empty/],
      ['name,country\n', /The list has no rows/],
      ['x\n'.repeat(1_001), /has more than 1,000 rows/],
      ['x'.repeat(200_000), /Line 1 of the list is too long/],
      ['\n'.repeat(200_000), /more than 10,000 lines/],
      [`name${','.repeat(2_000)}\nx`, /The first line has 2,001 cells; the maximum is 1,024/],
      [`name\nx\nx${','.repeat(2_000)}`, /Row 2 has 2,001 cells/],
    ] as const) {
      const reply = await post('/match', session, { list });
      assert.equal(reply.status, 400);
      assert.match(reply.text, message);
    }
    assert.equal((await post('/match', session, { list: 'x', country: 'x'.repeat(1_000) })).status, 400);
    const visitor = await fetch(`${service.url}/match`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: service.url },
      body: new URLSearchParams({ list: 'x' }),
    });
    assert.deepEqual([visitor.status, visitor.headers.get('location')], [303, '/auth/login?returnTo=%2Fmatch']);
    assert.match(await (await fetch(`${service.url}/match`)).text(), /Sign in<\/a> to match a list/);
    assert.equal((await fetch(`${service.url}/match/rows`, { redirect: 'manual' })).status, 303);
  });

  test('rows that are likely enough are accepted together', async () => {
    const session = await service.signIn({ plan: 'free' });
    const choicesOf = (score: string) =>
      JSON.stringify([['none'], ['ambiguous', 'id', 'GB', '1', 'ALBION', score, '', '']]);
    const state = pack(writeHead({ page: 2 }), choicesOf('0.950'), choicesOf('0.949'), '["a"]', '["b"]');
    const download = async (fields: object) =>
      parseCsv((await post('/match/download', session, { state, ...fields })).html).map(([, status]) => status);
    assert.deepEqual(await download({}), ['matchStatus', 'ambiguous', 'ambiguous']);
    assert.deepEqual(await download({ accept: 'on', c0: '', c1: '1' }), ['matchStatus', 'chosen', 'chosen']);
    assert.deepEqual(await download({ accept: 'on', c0: '0' }), ['matchStatus', 'none', 'ambiguous']);
  });

  test('only the rows of a page and of the next one are parsed', async () => {
    const session = await service.signIn({ plan: 'free' });
    const rows = [...Array.from({ length: 50 }, () => '["x"]'), ...Array.from({ length: 950 }, () => 'never parsed')];
    const first = await post('/match/rows', session, {
      state: pack(writeHead({ valid: 1000 }), ...rows),
      units: '25',
    });
    assert.match(first.text, /Rows 1 to 25 of 1,000: .* the next 25 rows uses 25 of .* download uses 975 of/);
    const second = await post('/match/rows', session, { state: hidden(first.html), units: '25' });
    assert.equal(second.status, 400, 'the rows after those of the second page are not JSON');
  });

  test('a state that unpacks to megabytes is refused without being parsed', async (t) => {
    const session = await service.signIn({ plan: 'free' });
    const times = (text: string, bytes = 4_000_000) => text.repeat(bytes / text.length);
    const lists = [times('[],'), times('["x"],'), times('"x",'), times('x')];
    const { mock } = t.mock.method(JSON, 'parse');
    for (const state of [
      '',
      'x',
      pack('[]'),
      pack(times('x', 5_000_000)),
      pack(times('\n')),
      pack(times('[]\n')),
      pack(...lists),
      pack(writeHead({})),
      pack(writeHead({ page: 1 }), times('[],')),
      pack(writeHead({ done: 1 }), '["x"]'),
      pack(writeHead({ header: times('x') }), '["x"]'),
      pack(
        writeHead({ page: 25 }),
        ...Array.from({ length: 25 }, () => times('[],', 150_000)),
        ...Array(25).fill('[]'),
      ),
      pack(writeHead({}), ...Array.from({ length: 1_001 }, () => '["x"]')),
      ...lists.map((list) =>
        pack(`{"header":["name"],"rows":[${list.slice(0, -1)}],"country":"","done":[],"page":[]}`),
      ),
      ...lists.map((list) => pack(writeHead({}), `[${list.slice(0, -1)}]`)),
    ]) {
      mock.resetCalls();
      for (const path of ['/match/rows', '/match/all', '/match/download']) {
        const { status, html } = await post(path, session, { state, units: '1' });
        assert.equal(status, 400, path);
        assert.match(html, /start again with the list/);
      }
      const parsed = mock.calls.map((call) => String(call.arguments[0]).length);
      assert.ok(Math.max(0, ...parsed) <= 256 * 1024, `${Math.max(...parsed)} characters were parsed at once`);
    }
    assert.equal(await usedBy(session), 0);
  });

  test('a long name is shortened on the page, and whole in the file', async () => {
    const session = await service.signIn({ plan: 'free' });
    const name = '\u0001'.repeat(20_000);
    const lines = Array.from({ length: 25 }, () => JSON.stringify([name]));
    const state = pack(writeHead({ valid: 25 }), ...lines);
    const { status, html } = await post('/match/rows', session, { state, units: '25' });
    assert.deepEqual([status, html.split('U+0001').length - 1], [200, 25 * 200]);
    const file = await post('/match/download', session, { state });
    assert.deepEqual(
      parseCsv(file.html).map(([cell]) => cell),
      ['name', ...lines.map(() => name)],
    );
    const broken = deflateRawSync(Buffer.from([...Buffer.from(`${writeHead({})}\n["`), 0xff, 0x22, 0x5d]));
    const reply = await post('/match/rows', session, { state: broken.toString('base64url'), units: '1' });
    assert.equal(reply.status, 400, 'not UTF-8');
  });
});
