import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createTools } from '../../src/mcp/tools.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { call, connect } from './connect.ts';
import { questions, SAMPLE_REGISTERS, SAMPLE_ROWS } from './questions.ts';

describe('questions that people ask assistants', () => {
  let service: TestService;
  let client: Client;
  before(async () => {
    service = await startService('sqlite');
    await importSyntheticAll(service, SAMPLE_ROWS, SAMPLE_REGISTERS);
    client = await connect(service, await service.createKey());
  });
  after(async () => {
    await client.close();
    await service[Symbol.asyncDispose]();
  });

  test('there are 64, and every tool answers some of them', () => {
    assert.equal(questions.length, 64);
    const names = createTools(service.services).map(({ name }) => name);
    for (const name of names) assert.ok(questions.filter(({ tool }) => tool === name).length >= 4, name);
  });

  test('arguments and results fit the published and the complete schemas, and the answers are right', async () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const { tools } = await client.listTools();
    const published = new Map(
      tools.map(({ name, inputSchema, outputSchema = {} }) => [
        name,
        { input: ajv.compile(inputSchema as object), output: ajv.compile(outputSchema as object) },
      ]),
    );
    const complete = new Map(
      createTools(service.services).map(({ name, output }) => [name, ajv.compile(JSON.parse(JSON.stringify(output)))]),
    );
    for (const { question, tool, given, answer } of questions) {
      const { input, output } = published.get(tool) ?? assert.fail(tool);
      const whole = complete.get(tool) ?? assert.fail(tool);
      assert.ok(input(given), `${question} ${ajv.errorsText(input.errors)}`);
      const { text, data, isError } = await call(client, tool, given);
      assert.equal(isError, false, `${question} ${text}`);
      assert.match(text, answer, question);
      assert.ok(output(data), `${question} ${ajv.errorsText(output.errors)}`);
      assert.ok(whole(data), `${question} ${ajv.errorsText(whole.errors)}`);
    }
  });

  test('every company in a result has its file, hash, row and day', async () => {
    for (const { tool, given } of questions) {
      const { data } = await call(client, tool, given);
      const sources = [
        ...(data.companies ?? []).map(({ source }: { source: unknown }) => source),
        ...(data.candidates ?? []).map(({ company }: { company: { source: unknown } }) => company.source),
        ...(data.changes ?? []).map(({ source }: { source: unknown }) => source),
        ...(data.company === undefined ? [] : [data.company.source]),
        ...(tool === 'verify_provenance' ? [data.source] : []),
      ];
      for (const { file, hash, row, asOf } of sources) {
        assert.ok(file.length > 0 && /^sha256:[0-9a-f]{64}$/.test(hash), file);
        assert.ok(row === null || row > 0);
        assert.ok(asOf === null || /^\d{4}-\d{2}-\d{2}$/.test(asOf));
      }
    }
  });
});
