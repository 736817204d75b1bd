import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { importCompanies } from '../harness/entities.ts';
import { useService } from '../harness/shared-service.ts';
import { useFolder } from '../harness/use.ts';
import { company } from '../registry/gb-file.ts';
import { type Example, linkClient, readExamples, readReadmePrograms } from './examples.ts';
import { runCli } from './fake-terminal.ts';

const NAMES = ['A', 'B', 'C', 'D', 'ELM ALBION'];
const HOLDINGS = NAMES.map((name, at) => company(`0000000${at}`, `HOLDING ${name} LTD`));

/** What an example prints, by its heading. Those that follow changes are run as processes. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'README: Five-minute start': /^([0-9a-f-]{36} HOLDING (?:[A-D]|ELM ALBION) LTD active\n){5}$/,
  'README: Search': /^3 of 5 companies, page 1 of 2\n$|^7\n$/,
  'README: Match':
    /^(?:match|ambiguous) .+\n0\.\d+ (?:true|false) HOLDING ELM ALBION LTD\n(?:[\d.]+ false HOLDING [A-D] LTD\n)*$|^elm holdings albion (?:match|ambiguous)\nno such company none\n$/,
  'README: Records': /^HOLDING A LTD Private Limited Company\ncompanies\.csv 2\n$/,
  'README: Changes': /^5 companies\n$/,
  'README: Errors': /^404 entity_not_found\n$/,
  'README: Limits': /^\d+ requests left in this minute\n\d+ requests left in this period\n$/,
  'README: Abort and deadline': /^(HOLDING (?:[A-D]|ELM ALBION) LTD\n){5}$/,
  'README: Snapshots': /^5\n$/,
  'guide: Five-minute start': /^HOLDING A LTD Private Limited Company companies\.csv 2\n$/,
};

describe('the documentation of the client', () => {
  const service = useService('sqlite');
  const folder = useFolder();
  let env: Record<string, string>;
  const programs = [
    ...readReadmePrograms().map(({ heading, code }) => ({ heading: `README: ${heading}`, code })),
    ...readExamples('docs/guides/client.md', 'ts').map(({ heading, code }) => ({ heading: `guide: ${heading}`, code })),
  ];
  const isEndless = ({ code }: Example) => code.includes('.follow(');

  before(async () => {
    linkClient(folder);
    await importCompanies(service, HOLDINGS);
    env = { FIRMAMENT_URL: service.url, FIRMAMENT_KEY: await service.createKey() };
    Object.assign(process.env, env);
  });
  after(async () => {
    for (const name of Object.keys(env)) delete process.env[name];
  });

  /** Runs a program in this process, and returns what it prints. */
  async function runHere(t: TestContext, file: string): Promise<string> {
    let printed = '';
    const log = t.mock.method(console, 'log', (...values: unknown[]) => {
      printed += `${values.join(' ')}\n`;
    });
    await import(pathToFileURL(join(folder, file)).href);
    log.mock.restore();
    return printed;
  }

  test('every example prints what it should', async (t) => {
    const finite = programs.filter((program) => !isEndless(program));
    assert.deepEqual(new Set(finite.map(({ heading }) => heading)), new Set(Object.keys(PRINTED)));
    for (const [at, { heading, code }] of finite.entries()) {
      writeFileSync(join(folder, `example-${at}.mts`), code);
      assert.match(await runHere(t, `example-${at}.mts`), PRINTED[heading] ?? /^$/, code);
    }
  });

  test('the commands of README and guide work', async () => {
    const documents = [
      'clients/typescript/README.md',
      'docs/guides/client.md',
      'docs/guides/quick-start.md',
      'README.md',
    ];
    const text = documents.map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).join('\n');
    const commands = new Set(
      Array.from(text.matchAll(/npx @firmament\/client ([^\n>`]+)/g), ([, args = '']) => args.trim()),
    );
    // It reads the input of the process; test/mcp/stdio.deep.test.ts starts it as one.
    commands.delete('mcp');
    assert.ok(commands.size >= 5);
    for (const args of commands) {
      const stopping = new AbortController();
      const isFollowing = args.includes('--follow');
      const { code, notes } = await runCli(args.replace('cursor.txt', join(folder, 'cli.cursor')).split(' '), env, {
        signal: stopping.signal,
        async print() {
          if (isFollowing) stopping.abort();
        },
      });
      assert.equal(code, isFollowing ? 130 : 0, `${args}: ${notes}`);
    }
  });
});
