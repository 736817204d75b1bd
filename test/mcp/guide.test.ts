import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { importCompanies } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { company } from '../registry/gb-file.ts';

const guide = readFileSync(new URL('../../docs/guides/mcp.md', import.meta.url), 'utf8');
const run = promisify(execFile);

function codeOf(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code ?? '');
}

describe('the guide about assistants', () => {
  let service: TestService;
  before(async () => {
    service = await startService('sqlite');
    await importCompanies(service, [company('00000001', 'ALPHA HOLDING LTD'), company('00000002', 'BETA LTD')]);
  });
  after(() => service[Symbol.asyncDispose]());

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
