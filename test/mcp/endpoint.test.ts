import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { companyTool } from '../../src/api/mcp/tools/companies.ts';
import { importCompanies, importSynthetic } from '../harness/entities.ts';
import { startService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';
import { exchange } from '../http/pipelined-client.ts';
import {
  importGleif,
  lei,
  readIds,
  writeCompanies,
  writeExceptions,
  writeRelationships,
} from '../parties/level2-files.ts';
import { company } from '../registry/gb-file.ts';
import { callMessage, connect, post, readJson, revisions } from './connect.ts';
import { doTask, importTask } from './task.ts';

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const ALLOWED = 'https://app.example';

describe('the endpoint for assistants', () => {
  const service = useService('sqlite', { limits: { guessDelayMs: 0 }, env: { CORS_ORIGINS: ALLOWED } });
  let key: string;
  const bearer = () => ({ authorization: `Bearer ${key}` });
  before(async () => {
    key = await service.createKey();
  });

  test('replies are plain JSON, in both revisions', async () => {
    const reply = await post(service, LIST, bearer());
    assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal((await readJson(reply)).result.tools.length, 7);
    await using client = await connect(service, key);
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
    await using earlier = await connect(service, key, 'legacy');
    assert.equal(earlier.getNegotiatedProtocolVersion(), '2025-11-25');
  });

  test('other methods are answered with 405 and Allow: POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD']) {
      const reply = await fetch(`${service.url}/mcp`, { method, headers: bearer() });
      assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'POST'], method);
      await reply.arrayBuffer();
    }
  });

  test('pages of other sites get no answer, whatever their host name resolves to', async () => {
    for (const origin of ['https://evil.example', 'null', service.url.replace('http:', 'https:')]) {
      const reply = await post(service, LIST, { ...bearer(), origin });
      assert.deepEqual([reply.status, (await readJson(reply)).error.code], [403, 'csrf_rejected'], origin);
    }
    for (const origin of [service.url, ALLOWED]) {
      assert.equal((await post(service, LIST, { ...bearer(), origin })).status, 200, origin);
    }
    const head = `POST /mcp HTTP/1.1\r\nHost: evil.example\r\nAuthorization: ${bearer().authorization}`;
    const message = JSON.stringify(LIST);
    const length = `Content-Type: application/json\r\nContent-Length: ${message.length}`;
    const reply = await exchange(service.url, `${head}\r\n${length}\r\n\r\n${message}`);
    assert.deepEqual([reply.status, JSON.parse(reply.body.toString()).error.code], [400, 'invalid_request']);
  });

  test('pages of allowed origins can call it from a browser', async () => {
    const ask = { origin: ALLOWED, 'access-control-request-method': 'POST' };
    const preflight = await fetch(`${service.url}/mcp`, { method: 'OPTIONS', headers: ask });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get('access-control-allow-origin'), ALLOWED);
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ') ?? [];
    for (const name of ['Authorization', 'Content-Type', 'Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name']) {
      assert.ok(allowed.includes(name), name);
    }
    const reply = await post(service, LIST, { ...bearer(), origin: ALLOWED });
    assert.equal(reply.headers.get('access-control-allow-origin'), ALLOWED);
  });

  test('requests are logged like those of the API, without the key', async () => {
    const id = '7c1f6b1e-3c52-4f0a-9a43-2f6c1f2f7d11';
    await (await post(service, callMessage('list_countries', {}), { ...bearer(), 'x-request-id': id })).arrayBuffer();
    const line = service.logLines.find((each) => each.includes(id)) ?? '';
    const { method, route, status, keyId } = JSON.parse(line);
    assert.deepEqual([method, route, status], ['POST', '/mcp', 200]);
    assert.notEqual(keyId, null);
    assert.ok(!service.logLines.some((each) => each.includes(key)));
    const { text } = await service.services.metrics.render();
    assert.match(text, /^mcp_tool_calls_total\{tool="list_countries",outcome="answered"\} 1$/m);
  });

  test('subscriptions are refused, so that no connection stays open', async () => {
    await using client = await connect(service, key);
    await assert.rejects(client.listen({ toolsListChanged: true }), /Method not found/);
  });

  test('the package of the protocol is loaded with the first message, not at the start', () => {
    const root = new URL('../../src/', import.meta.url);
    for (const file of globSync('**/*.ts', { cwd: fileURLToPath(root) })) {
      const source = readFileSync(new URL(file, root), 'utf8');
      const isHome = file === join('api', 'mcp', 'protocol.ts');
      assert.ok(isHome || !/ from '@modelcontextprotocol/.test(source), `${file} loads the package`);
      assert.doesNotMatch(source, /^import (?!type).*\/protocol\.ts'/m, `${file} loads the package`);
    }
  });

  test('the whole list of tools takes at most 1,700 tokens, counted as 3.5 bytes each', async () => {
    const { result } = await readJson(await post(service, LIST, bearer()));
    const bytes = Buffer.byteLength(JSON.stringify(result));
    assert.ok(bytes / 3.5 <= 1_700, `${bytes} bytes are ${Math.ceil(bytes / 3.5)} tokens`);
    assert.ok(result.tools.length <= 7);
    for (const tool of result.tools) assert.equal(tool.annotations.readOnlyHint, true, tool.name);
  });
});

const guide = readFileSync(new URL('../../docs/guides/mcp.md', import.meta.url), 'utf8');
const run = promisify(execFile);

function codeOf(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code ?? '');
}

describe('the guide about assistants', () => {
  const service = useService('sqlite');
  before(async () => {
    await importCompanies(service, [company('00000001', 'ALPHA HOLDING LTD'), company('00000002', 'BETA LTD')]);
  });

  /** Runs an example exactly as the guide prints it. */
  async function runExample(code: string) {
    const env = { PATH: process.env.PATH, FIRMAMENT_KEY: await service.findKey() };
    const script = code.replace('curl', 'curl -s').replaceAll('http://127.0.0.1:3000', service.url);
    return JSON.parse((await run('bash', ['-c', script], { env })).stdout);
  }

  test('its examples for curl run, and its table names all tools in order, with what they cost', async () => {
    const [list = '', search = ''] = codeOf('sh');
    const { result: listed } = await runExample(list);
    const rows = [...guide.matchAll(/^\| `(\w+)` \| .+ \| (1 request|free).* \|$/gm)];
    assert.deepEqual(
      rows.map(([, name]) => name),
      listed.tools.map(({ name }: { name: string }) => name),
    );
    for (const [, name, cost = ''] of rows) {
      const { description } = listed.tools.find((tool: { name: string }) => tool.name === name);
      assert.equal(/\bFree\b/.test(description), cost === 'free', `${name}: ${cost}`);
    }
    const { result: found } = await runExample(search);
    assert.deepEqual([found.structuredContent.total, found.isError], [1, undefined]);
  });

  test('its settings are JSON, and have the command and the variables that the client knows', () => {
    const [stdio, http] = codeOf('json').map((code) => JSON.parse(code).mcpServers.firmament);
    assert.deepEqual([stdio.command, ...stdio.args], ['npx', '-y', '@firmament/client', 'mcp']);
    assert.deepEqual(Object.keys(stdio.env), ['FIRMAMENT_URL', 'FIRMAMENT_KEY']);
    assert.equal(http.url, `${stdio.env.FIRMAMENT_URL}/mcp`);
    assert.match(http.headers['X-API-Key'], /^frm_/);
  });
});

test('get_company names owners and holdings, each owner with its row, and says if files are missing', async () => {
  await using service = await startService('sqlite');
  const holdings = Array.from({ length: 12 }, (_, index) => `Hold${String.fromCharCode(65 + index)}`);
  await importGleif(service, {
    'lei2.csv': writeCompanies([['Mid'], ['Par', 'FR'], ...holdings.map((name) => [name] as const)]),
  });
  await importCompanies(service, [company('00000001', 'ALPHA LTD')]);
  const ids = await readIds(service);
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect.
  const ask = async (id = ''): Promise<any> =>
    companyTool.run({ id } as never, service.services, { accountId: 'a', deadline: 0 });
  assert.equal((await ask(ids.Mid)).data.ownership.coverage, 'not_imported');

  await importGleif(service, {
    'rr.csv': writeRelationships([
      { child: 'Mid', parent: 'Par' },
      { child: 'Mid', parent: 'Gone\u27e7' },
      ...holdings.map((child) => ({ child, parent: 'Mid' })),
    ]),
    'repex.csv': writeExceptions([['Par', 'NATURAL_PERSONS']]),
  });
  const { data, text } = await ask(ids.Mid);
  const { ownership } = data;
  assert.deepEqual(
    [ownership.total, ownership.parties.length, ownership.holdingTotal, ownership.holdings.length],
    [2, 2, 12, 10],
  );
  const parent = ownership.parties.find(({ id }: { id: string }) => id === ids.Par);
  assert.deepEqual(
    [parent.role, parent.name, parent.countryCode, parent.source.file],
    ['parent', 'Par', 'FR', 'rr.csv'],
  );
  assert.ok(text.includes(`parent: \u27e6Par\u27e7, id ${ids.Par}`), text);
  assert.match(text, /Holdings: 12, such as \u27e6Hold/);
  // A name cannot leave its quotes.
  assert.ok(!text.includes(lei('Gone\u27e7')));
  assert.match((await ask(ids.Par)).text, /parent: none named, persons\nHoldings: 1, such as \u27e6Mid\u27e7/);
  const first = async (country: string) =>
    (await service.client.get(`/api/v1/entities?country=${country}`)).body.data[0].id as string;
  assert.equal((await ask(await first('gb'))).data.ownership.coverage, 'not_imported');
  await importSynthetic(service, 'fi', 1);
  assert.equal((await ask(await first('fi'))).data.ownership, null);
});

describe('a task of an assistant', () => {
  const service = useService('sqlite');
  before(async () => {
    await importTask(service);
  });

  for (const revision of revisions) {
    test(`finds, reads and verifies a company with the official client (${JSON.stringify(revision)})`, async () => {
      await using client = await connect(service, await service.createKey(), revision);
      await doTask(client);
    });
  }
});
