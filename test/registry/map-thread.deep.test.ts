import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { IN_RECORDS } from '../../src/core/party-modes.ts';
import { describeJob, type Job, mapRecordJob, planJobs, readCodes } from '../../src/importing/jobs.ts';
import { type CodeTables, type MappedBatch, readCodeTables } from '../../src/importing/mapping/map-part.ts';
import { mapInThreads, openMapThread, unpackRecords } from '../../src/importing/mapping/map-thread.ts';
import { createProblems } from '../../src/importing/mapping/problems.ts';
import { describePart } from '../../src/importing/mapping/tracer.ts';
import { recognizeFile } from '../../src/importing/reading/recognize.ts';
import type { ImportedPart } from '../../src/records/origins.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import { generateFile } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { makeFolder, zip } from '../formats/feed.ts';
import { isDeep, runs } from '../harness/depth.ts';
import { prepareTools } from '../registers/mapping.ts';
import { company, writeGb } from './gb-file.ts';

const findRegister = (id: string) => registers.find((register) => register.id === id) as Register;

interface Outcome {
  readonly records: readonly string[];
  readonly rows: number;
  readonly problems: unknown;
}

async function collect(batches: AsyncIterable<MappedBatch>, problems = createProblems()): Promise<Outcome> {
  const records: string[] = [];
  let rows = 0;
  for await (const batch of batches) {
    rows += batch.rows;
    for (const { id, place, origins, content, contentHash } of batch.prepared)
      records.push([id, place, origins, content, contentHash].join());
  }
  const { first, rejected, skipped, unreadable, withoutNumber, unknownColumns, unmatched } = problems;
  return {
    records,
    rows,
    problems: {
      first,
      rejected,
      unreadable,
      withoutNumber,
      unknownColumns: [...unknownColumns],
      unmatched: [...unmatched],
      skipped: [...skipped],
      unknownValues: problems.listUnknownValues(),
    },
  };
}

/** Recognizes a file and hands its only job to `map`, as an import does. */
async function withJob(
  register: Register,
  path: string,
  map: (job: Job, tables: CodeTables, parts: readonly ImportedPart[]) => Promise<Outcome>,
): Promise<Outcome> {
  const { parts, close } = await recognizeFile(path, register, []);
  const [job] = planJobs(parts, register);
  assert.ok(job !== undefined);
  try {
    return await map(job, await readCodeTables(parts), parts.map(describePart));
  } finally {
    await close();
  }
}

function mapHere(register: Register, path: string): Promise<Outcome> {
  const problems = createProblems();
  return withJob(register, path, (job, tables, parts) => {
    const codes = readCodes(register, tables);
    const tools = { ...prepareTools(register, registers), parts, codes, problems, onBytes: () => undefined };
    return collect(mapRecordJob(job, tools), problems);
  });
}

function mapWith(register: Register, path: string, count: number): Promise<Outcome> {
  const problems = createProblems();
  return withJob(register, path, async (job, codeTables, parts) => {
    const plan = describeJob(job);
    assert.ok(plan !== undefined);
    const withheld = { modes: { [IN_RECORDS]: 'names' as const }, suppressed: [] };
    const task = { register: register.id, job: plan, parts, codeTables, ...withheld };
    await using threads = new AsyncDisposableStack();
    const opened = Array.from({ length: count }, () => threads.use(openMapThread()));
    return await collect(mapInThreads(opened, task, unpackRecords, { problems, onBytes: () => undefined }), problems);
  });
}

/** Several batches, the last one not full. */
const ROWS = runs(1_110, 3_210);

describe('mapping in threads', () => {
  for (const id of ['gb', 'no', 'gleif', 'ua']) {
    test(`${id}: several threads map every row once, in file order, with the same result as one`, async (t) => {
      const register = findRegister(id);
      const path = await writeSynthetic(await makeFolder(t), generateFile(register, ROWS, 3));
      const alone = await mapHere(register, path);
      assert.equal(alone.rows, ROWS);
      const counts = isDeep ? [1, 2, 3] : id === 'gb' ? [1, 3] : [2];
      for (const threads of counts) assert.deepEqual(await mapWith(register, path, threads), alone);
    });
  }

  test('cz: problems noted after the last record are reported too', async (t) => {
    const register = findRegister('cz');
    const activities = Array.from({ length: 1_000 }, (_, index) => `${70_000_000 + index},5103,0111`);
    const path = join(await makeFolder(t), 'res.zip');
    const files = {
      'res_data.csv': 'ICO,FIRMA,FORMA,DDATVZN,DDATZAN\n00000019,A,112,1990-01-31,\n',
      'res_pf_nace.csv': `ICO,KODCIS,HODN\n${activities.join('\n')}\n`,
    };
    writeFileSync(path, await zip(files));
    const alone = await mapHere(register, path);
    assert.deepEqual((alone.problems as { unmatched: unknown }).unmatched, [['res_pf_nace', 1_000]]);
    assert.deepEqual(await mapWith(register, path, 1), alone);
  });

  test('gb: unknown values are counted in threads too', async (t) => {
    const register = findRegister('gb');
    const rows = Array.from({ length: 1_200 }, (_, index) =>
      company(String(index).padStart(8, '0'), 'A LTD', index % 400 === 0 ? { CompanyStatus: 'Frozen' } : {}),
    );
    const path = writeGb(await makeFolder(t), 'companies.csv', rows);
    const alone = await mapHere(register, path);
    const [unknown] = (alone.problems as { unknownValues: unknown[] }).unknownValues;
    assert.deepEqual(unknown, { kind: 'status', column: 'CompanyStatus', value: 'Frozen', rows: 3 });
    assert.deepEqual(await mapWith(register, path, 2), alone);
  });

  test('a damaged record fails with the same message, whichever thread finds it', async (t) => {
    const register = findRegister('no');
    const folder = await makeFolder(t);
    const whole = gunzipSync(readFileSync(await writeSynthetic(folder, generateFile(register, 1_300, 3)))).toString();
    const path = join(folder, 'damaged.json');
    for (const record of [700, 1_200]) {
      const at = whole.split('{"organisasjonsnummer"', record).join('{"organisasjonsnummer"').length;
      writeFileSync(path, `${whole.slice(0, at)}{nothing},${whole.slice(at)}`);
      const message = new RegExp(`^damaged\\.json: record ${record}: `);
      await assert.rejects(mapHere(register, path), { name: 'FormatError', message });
      for (const threads of isDeep ? [1, 2, 3] : [2]) {
        await assert.rejects(mapWith(register, path, threads), { name: 'FormatError', message });
      }
    }
  });
});
