import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge, renderJudgement } from '../../bench/http/report.ts';

const metered = { answers: 10, charged: 10 };

test('bench http has a bar for each endpoint on each database', () => {
  const bars = (['sqlite', 'postgres'] as const).flatMap((engine) =>
    (['search', 'detail', 'countries'] as const).map((endpoint) => judge({ ...metered, engine, endpoint, ratio: 0.5 })),
  );
  const lines = renderJudgement(bars).trim().split('\n');
  assert.deepEqual(
    lines.filter((line) => !line.startsWith('─')).map((line) => line.trim().split(/ {2,}/)),
    [
      ['BAR (for 1 M entities)', 'RATIO', 'REQUIRED', 'RESULT'],
      ['search, sqlite', '50.0 %', '≥ 80 %', 'missed'],
      ['detail, sqlite', '50.0 %', '≥ 55 %', 'missed'],
      ['countries, sqlite', '50.0 %', '≥ 76 %', 'missed'],
      ['search, postgres', '50.0 %', '≥ 75 %', 'missed'],
      ['detail, postgres', '50.0 %', '≥ 48 %', 'passed'],
      ['countries, postgres', '50.0 %', '≥ 75 %', 'missed'],
    ],
  );
});

test('a run in which an answer was not charged does not pass', () => {
  const { passed } = judge({ answers: 10, charged: 9, engine: 'sqlite', endpoint: 'search', ratio: 0.9 });
  assert.equal(passed, false);
});
