import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EntitySummary } from '../../src/core/entity-summary.ts';
import type { MatchAnswer } from '../../src/matching/matching.ts';
import { toSearchQuery } from '../../src/search/parameters.ts';
import { importSyntheticAll } from '../harness/entities.ts';
import { startService, type TestService } from '../harness/service.ts';
import { installOpenRefine, type OpenRefine, type Row, type Service, startOpenRefine } from './openrefine.ts';

/** How many rows are matched. Set OPENREFINE_ROWS for a quick try. */
const ROWS = Number(process.env.OPENREFINE_ROWS ?? 10_000);
const REGISTERS = ['gb', 'lv', 'cz', 'no', 'ua'];
const LIMIT = 3;

describe(`the real OpenRefine over ${ROWS} rows`, () => {
  let service: TestService;
  let refine: OpenRefine;
  before(async () => {
    installOpenRefine();
    service = await startService('sqlite');
    await importSyntheticAll(service, Math.ceil(ROWS / REGISTERS.length), REGISTERS);
    refine = await startOpenRefine();
  });
  after(async () => {
    await refine?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  test('no error, judgements equal to match, and the columns of matched companies', async () => {
    const { account } = await service.signIn({ plan: 'business' });
    const { reconcileLinks, matcher, search } = service.services;
    const { secret } = await reconcileLinks.create(account.accountId, 'OpenRefine');
    const endpoint = `${service.url}/api/v1/reconcile/l/${secret}`;
    const manifest = (await (await fetch(endpoint)).json()) as Service;
    const standard = { ...manifest, service: endpoint };
    const names = (await readEntities(search, ROWS)).map(misspell);
    const csv = ['name,country', ...names.map(({ name, country }) => `${quote(name)},${country}`)].join('\n');

    const project = await refine.createProject('companies', csv);
    await refine.reconcile(project, 'name', {
      mode: 'standard-service',
      ...{ service: endpoint, identifierSpace: manifest.identifierSpace, schemaSpace: manifest.schemaSpace },
      ...{ type: { id: 'company', name: 'Company' }, autoMatch: true, batchSize: 50, limit: LIMIT },
      columnDetails: [{ column: 'country', propertyName: 'Country', propertyID: 'country' }],
    });
    // OpenRefine leaves cells empty after an error, so these are looked at first.
    const statuses = Map.groupBy(
      service.logLines.filter((line) => line.includes('/reconcile/l/:link')),
      (line) => JSON.parse(line).status,
    );
    assert.deepEqual(
      [...statuses.keys()].filter((status) => status !== 200 && status !== 429),
      [],
      'errors',
    );
    const rows = await refine.readRows(project, ROWS);
    assert.equal(rows.length, names.length);
    const outcomes = { matched: 0, candidates: 0, none: 0 };
    for (const [at, row] of rows.entries()) {
      const { name, country } = names[at] ?? assert.fail('too many rows');
      const requester = { account: account.accountId, deadline: Number.POSITIVE_INFINITY };
      const { answers } = await matcher.match([{ name: name.trim(), country, limit: LIMIT }], requester);
      const expected = answers[0] ?? assert.fail('no answer');
      compare(row, expected, name);
      outcomes[expected.candidates[0]?.match ? 'matched' : expected.candidates.length > 0 ? 'candidates' : 'none']++;
    }
    console.log(`${rows.length} rows: ${JSON.stringify(outcomes)}`);
    assert.ok(outcomes.matched > ROWS / 4, 'too few matches to prove anything');

    const extension = { properties: ['registrationNumber', 'status', 'address'].map((id) => ({ id, name: id })) };
    await refine.extend(project, 'name', extension, standard);
    let extended = 0;
    for (const { cells, recons } of await refine.readRows(project, Math.min(ROWS, 1_000))) {
      if (recons[0]?.j !== 'matched') continue;
      assert.equal(typeof cells[2]?.v, 'string', 'the status of a matched company');
      extended++;
    }
    assert.ok(extended > 0);
  });
});

function compare({ cells, recons }: Row, { candidates }: MatchAnswer, name: string): void {
  assert.equal(cells[0]?.e, undefined, `${name} has an error`);
  const recon = recons[0] ?? assert.fail(`${name} was not asked for`);
  const best = candidates[0];
  assert.equal(recon.j, best?.match === true ? 'matched' : 'none', `the judgement of ${name}`);
  if (best?.match === true) assert.equal(recon.m?.id, best.entity.id, `the match of ${name}`);
  // OpenRefine does not list the candidates of a cell that is matched.
  if (best?.match === true) return;
  const scores = (recon.c ?? []).map(({ score }) => score);
  assert.deepEqual(
    scores,
    candidates.map(({ score }) => Math.round(score * 1_000) / 10),
    `the scores of ${name}`,
  );
}

async function readEntities(search: TestService['services']['search'], count: number): Promise<EntitySummary[]> {
  const entities: EntitySummary[] = [];
  for (let page = 1; entities.length < count; page++) {
    const { body } = await search.find(toSearchQuery({ page, pageSize: 100 }));
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: EntitySummary[] };
    if (data.length === 0) break;
    entities.push(...data);
  }
  return entities.slice(0, count);
}

/** Names as people type them: every second one as it is, the others without a letter, in lower case, or without their last word. */
function misspell({ canonicalName, countryCode }: EntitySummary, at: number) {
  const words = canonicalName.split(' ');
  const edits = [
    canonicalName,
    canonicalName.toLowerCase(),
    canonicalName,
    words.length > 2 ? words.slice(0, -1).join(' ') : canonicalName,
    canonicalName,
    canonicalName.slice(0, 5) + canonicalName.slice(6),
  ];
  return { name: edits[at % edits.length] ?? '', country: countryCode };
}

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
