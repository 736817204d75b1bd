import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { operations as clientOperations } from '../../clients/typescript/src/generated/operations.ts';
import { escapeContent } from '../../src/base/html.ts';
import {
  type ApiContract,
  exampleOf,
  findGroup,
  findSuccess,
  listErrors,
  listOperations,
  makeExample,
  OPERATION_GROUPS,
  operationAddress,
  type Schema,
  writeCurl,
  writePython,
  writeTypeScript,
} from '../../src/portal/docs/contract.ts';
import { highlight } from '../../src/portal/docs/highlight.ts';
import { DOCUMENTS, GROUPS, listRegisterDocuments, REFERENCE } from '../../src/portal/docs/library.ts';
import { createDocsSearch, splitDocument } from '../../src/portal/docs/search.ts';
import { describeLimits, listFields } from '../../src/portal/pages/reference.ts';
import { registers } from '../../src/registers/index.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { pageOpener } from './pages.ts';

describe('highlighting', () => {
  const classesOf = (code: string, language: string) =>
    Array.from(highlight(code, language).text.matchAll(/<span class="(\w+)">(.*?)<\/span>/gs), ([, kind, text]) => [
      text,
      kind,
    ]);

  test('marks what each language has', () => {
    assert.deepEqual(classesOf('{"a": [1.5, "b", null]}', 'json'), [
      ['"a"', 'key'],
      ['1.5', 'number'],
      ['"b"', 'string'],
      ['null', 'keyword'],
    ]);
    assert.deepEqual(classesOf("curl -H 'A: b' $URL # why", 'sh'), [
      ['curl', 'keyword'],
      ['-H', 'name'],
      ["'A: b'", 'string'],
      ['$URL', 'name'],
      ['# why', 'comment'],
    ]);
    assert.deepEqual(classesOf('const a = new Map(); // `x`', 'ts'), [
      ['const', 'keyword'],
      ['new', 'keyword'],
      ['Map', 'name'],
      ['// `x`', 'comment'],
    ]);
    assert.deepEqual(classesOf('def f():\n  """Says "hi"."""', 'python'), [
      ['def', 'keyword'],
      ['"""Says "hi"."""', 'string'],
    ]);
    assert.deepEqual(classesOf("SELECT 'a' -- b", 'sql'), [
      ['SELECT', 'keyword'],
      ["'a'", 'string'],
      ['-- b', 'comment'],
    ]);
    assert.deepEqual(classesOf('SELECT 1', 'unknown'), []);
  });

  test('never changes or unescapes the text', () => {
    const code = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom('"', "'", '`', '\\', '#', '//', '/*', '*/', '"""', '<b>', '<wbr>', '://', '&', '\n', '$'),
      ),
    );
    fc.assert(
      fc.property(code, fc.constantFrom('json', 'sh', 'ts', 'python', 'sql', 'other'), (parts, language) => {
        const text = parts.join('');
        const written = highlight(text, language).text.replace(/<span class="\w+">|<\/span>|<wbr>/g, '');
        assert.equal(written, escapeContent(text).text);
      }),
    );
  });
});

describe('search over the docs', () => {
  const search = createDocsSearch([
    ...splitDocument(
      { title: 'Limits', address: '/l' },
      '# Limits\n\nTwo [limits](x.md).\n\n## `Quota`\n\n| A | B |\n|---|---|\n| **per** month | Müller |\n',
    ),
    { title: 'Paging', address: '/p', text: 'The total, limits of pages. One page, many pages.' },
  ]);
  const addresses = (q: string) => search(q).map(({ passage }) => passage.address);

  test('finds parts of words, without accents and case, and every word must match', () => {
    assert.deepEqual(addresses('muller'), ['/l#quota']);
    assert.deepEqual(addresses('ONTH'), ['/l#quota']);
    assert.deepEqual(addresses('page total'), ['/p']);
    assert.deepEqual(addresses('page muller'), []);
    assert.deepEqual(addresses('?!'), []);
  });

  test('passages with the whole words come first', () => {
    const find = createDocsSearch([
      { title: 'Separate limits', address: '/parts', text: 'Separated and limited: rates, limits.' },
      { title: 'Other', address: '/whole', text: 'The error rate_limit_exceeded.' },
    ]);
    assert.deepEqual(
      find('rate limit').map(({ passage: { address } }) => address),
      ['/whole', '/parts'],
    );
  });

  test('a heading or title weighs more than a mention', () => {
    assert.deepEqual(addresses('limits'), ['/l', '/l#quota', '/p']);
  });

  test('results are text without marks of Markdown, with the matches and with cells of tables apart', () => {
    const [hit] = search('month');
    assert.deepEqual(
      hit?.excerpt.map(({ text, isMatch }) => (isMatch ? `*${text}*` : text)),
      ['A', '·', 'B', 'per', '*month*', '·', 'Müller'],
    );
  });
});

describe('pages of the docs', () => {
  const service = useService('sqlite');
  const open = pageOpener(service);

  test('the menu has every document and marks the current one', async () => {
    const { html: page } = await open('/docs/paging');
    for (const { address } of GROUPS.flatMap(({ entries }) => entries)) assert.ok(page.includes(`href="${address}"`));
    assert.deepEqual(
      page.match(/<a href="[^"]*" aria-current="page">[^<]*/g)?.at(-1),
      '<a href="/docs/paging" aria-current="page">Search and paging',
    );
    assert.match(page, /class="previous" href="\/docs\/openrefine".*class="next" href="\/docs\/classifications"/s);
  });

  test('pictures of a guide have a description, are served and are small', async () => {
    const { html: page } = await open('/docs/openrefine');
    const pictures = Array.from(page.matchAll(/<img loading="lazy" src="([^"]*)" alt="([^"]+)"/g));
    assert.ok(pictures.length >= 2);
    for (const [, address = ''] of pictures) {
      const reply = await fetch(new URL(address, service.url));
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'image/webp'], address);
      assert.ok((await reply.arrayBuffer()).byteLength < 80_000, address);
    }
  });

  test('the list of contents has the headings of the page', async () => {
    const { html: page } = await open('/docs/paging');
    const [contents = ''] = /<nav class="contents".*?<\/nav>/s.exec(page) ?? [];
    assert.deepEqual(Array.from(contents.matchAll(/href="#([\w-]+)"/g), ([, anchor]) => anchor).slice(0, 4), [
      'what-q-finds',
      'what-words-finds',
      'pages',
      'results-as-files',
    ]);
  });

  test('every register has a page, which the menu lists by country', async () => {
    const documents = listRegisterDocuments();
    assert.equal(documents.length, registers.length);
    assert.ok(documents.every(({ title }) => title !== ''));
    const { html: page, text } = await open('/docs/registers/no');
    for (const { title, address } of documents)
      assert.ok(page.includes(`<a href="${address}"`) && text.includes(title));
    const at = documents.findIndex(({ address }) => address === '/docs/registers/no');
    const [previous, next] = [documents[at - 1], documents[at + 1]];
    assert.match(
      page,
      new RegExp(`class="previous" href="${previous?.address}".*class="next" href="${next?.address}"`, 's'),
    );
  });

  test('a search shows passages with their document, and an empty one the quick start', async () => {
    const found = await open('/docs?q=strike+off');
    assert.match(found.text, /results? for “ ?strike off/);
    assert.match(found.html, /<a href="\/docs\/registers\/gb#\w*">/);
    assert.match(found.html, /<mark>/);
    for (const path of ['/docs?q=', '/docs?q=+', '/docs?q=a&q=b'])
      assert.match((await open(path)).html, /<h1>Quick start/, path);
  });

  test('a search without results says what to do, and writes the query as text', async () => {
    const { html: page, text } = await open(`/docs?q=${encodeURIComponent('<script>zzalert(1)</script>')}`);
    assert.match(text, /No results for “ ?<script>/);
    assert.doesNotMatch(page, /<script>zzalert/);
    assert.equal((await open(`/docs?q=${'a'.repeat(2_000)}`)).status, 200);
  });

  test('every document is in the menu exactly once', () => {
    const listed = GROUPS.flatMap(({ entries }) => entries.map(({ address }) => address));
    for (const { address } of DOCUMENTS) assert.equal(listed.filter((entry) => entry === address).length, 1, address);
  });
});

const contract: ApiContract = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));
const operations = listOperations(contract);

describe('the API reference', () => {
  test('lists an operation with a path of its own in the group of its tag', () => {
    for (const { tags } of operations) assert.ok(findGroup({ path: '/api/v1/ships', tags }), tags.join());
    assert.equal(findGroup({ path: '/api/v1/ships', tags: ['Registry'] })?.title, 'Records');
  });

  test('has every operation that users call, with parameters, fields and errors, and not the webhook of payments', async () => {
    await using service = await startService('sqlite');
    const open = pageOpener(service);
    const overview = await open(REFERENCE.address);
    const groups = await Promise.all(OPERATION_GROUPS.map(({ address }) => open(address)));
    const all = Object.values(contract.paths).flatMap(({ head: _, ...methods }) => Object.values(methods));
    assert.equal(operations.length, all.length - 1);
    for (const operation of operations) {
      const { operationId, summary, path, parameters = [] } = operation;
      const address = operationAddress(operation);
      assert.ok(overview.html.includes(`<a href="${address}">`), `${operationId} is not in the overview`);
      const pages = groups.filter(({ html }) => html.includes(`<h2 id="${operationId}"`));
      assert.deepEqual(pages, [groups[OPERATION_GROUPS.findIndex((group) => address.startsWith(`${group.address}#`))]]);
      const page = pages[0]?.html ?? '';
      const [section = ''] = new RegExp(`<h2 id="${operationId}".*?</section>`, 's').exec(page) ?? [];
      assert.ok(section.includes(summary) && section.includes(path), `${operationId} is missing`);
      for (const { name } of parameters) assert.ok(section.includes(`<code>${name}</code>`), `${operationId}: ${name}`);
      const schema = findSuccess(operation)[1].content?.['application/json'].schema;
      for (const { path: field } of schema === undefined ? [] : listFields(schema, contract)) {
        assert.ok(section.includes(`<code>${field}</code>`), `${operationId}: ${field}`);
      }
      for (const { code } of listErrors(operation)) {
        assert.ok((section + overview.html).includes(`href="/docs/errors/${code}"`), code);
      }
    }
    for (const { html, text } of [overview, ...groups]) {
      assert.doesNotMatch(html, /billing\/webhook|receivePaymentEvent|invalid_signature|Payment-Signature/);
      assert.ok(text.includes(service.url), 'examples have another address');
    }
  });

  test('examples of bodies match the contract', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'contract', components: contract.components });
    for (const operation of operations) {
      const bodies = [operation.requestBody, findSuccess(operation)[1]].map(
        (body) => body?.content?.['application/json'].schema,
      );
      for (const schema of bodies.filter((body) => body !== undefined)) {
        const local = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"contract#/'));
        const example = exampleOf(schema, contract);
        assert.ok(ajv.validate(local, example), `${operation.operationId}: ${ajv.errorsText()}`);
        assert.doesNotMatch(
          JSON.stringify(example),
          /[:[]"text"/,
          `${operation.operationId}: a field needs an example`,
        );
      }
    }
  });

  test('commands have the credentials, the body and a valid address', () => {
    const write = (id: string) => {
      const operation = operations.find(({ operationId }) => operationId === id) ?? assert.fail(id);
      return writeCurl(makeExample(operation, contract), 'https://x');
    };
    assert.equal(
      write('searchEntities'),
      `curl -H "X-API-Key: $FIRMAMENT_KEY" \\\n  'https://x/api/v1/entities?q=alpha&country=GB'`,
    );
    assert.match(write('createApiKey'), /^curl -X POST .*Bearer \$SESSION_TOKEN.*-d '\{"name":"production"\}'/s);
    assert.match(write('getEntity'), /\/entities\/[0-9a-f-]{36}'$/);
    assert.equal(write('listPlans'), "curl 'https://x/api/v1/plans'");
  });

  test('the same request is shown for curl, the client and Python; the example finds what the response shows', () => {
    const search = operations.find(({ operationId }) => operationId === 'searchEntities') ?? assert.fail();
    const request = makeExample(search, contract);
    const [company] = (
      exampleOf(findSuccess(search)[1].content?.['application/json'].schema ?? {}, contract) as {
        data: { canonicalName: string }[];
      }
    ).data;
    assert.ok(company?.canonicalName.toLowerCase().includes(String(request.query.q)));
    assert.match(
      writeTypeScript(request, 'https://x'),
      /url: 'https:\/\/x',\n {2}key: process\.env\.FIRMAMENT_KEY.*client\.searchEntities\(\{\n {2}q: "alpha"/s,
    );
    assert.match(
      writePython(request, 'https://x'),
      /requests\.get\(\n {4}"https:\/\/x\/api\/v1\/entities",\n {4}params=\{"q":"alpha","country":"GB"\}.*"X-API-Key": os\.environ\["FIRMAMENT_KEY"\]/s,
    );
    const change = operations.find(({ operationId }) => operationId === 'changeMonitorEntities') ?? assert.fail();
    assert.match(
      writeTypeScript(makeExample(change, contract), 'https://x'),
      /client\.changeMonitorEntities\(\{\n {2}id: "[0-9a-f-]{36}",\n {2}body: \{/,
    );
    for (const operation of operations) {
      const example = makeExample(operation, contract);
      for (const write of [writeCurl, writeTypeScript, writePython])
        assert.doesNotMatch(write(example, 'https://x'), /undefined|\{\w+\}/);
      const isMethod = Object.hasOwn(clientOperations, operation.operationId);
      assert.ok(isMethod, `the client has no ${operation.operationId}`);
    }
  });

  test('limits of parameters are written in words', () => {
    const limits = (schema: Schema) => describeLimits(schema).join(' ');
    assert.equal(limits({ minimum: 1, maximum: 100, default: 25 }), '1 to 100. Default: `25`.');
    assert.equal(limits({ minimum: 1 }), 'At least 1.');
    assert.equal(limits({ enum: ['a', 'b'] }), 'One of `a`, `b`.');
    assert.equal(limits({ minLength: 2, maxLength: 2 }), '');
    assert.equal(limits({ maxLength: 200 }), 'At most 200 characters.');
  });
});
