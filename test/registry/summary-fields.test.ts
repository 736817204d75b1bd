/** Fails if a step of "Adding a field" in CONTRIBUTING.md was forgotten that the compiler does not see. Each message says what to do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { storedNames, summaryFields, summaryNames } from '../../src/base/entity-summary.ts';
import { useStore, usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { showRecord } from '../web/record-page.ts';

describeOn(usualEngines, 'fields of a summary', (engine) => {
  const { db } = useStore(engine, 'registry');
  test('every stored one has its column in entities', async () => {
    for (const { column } of storedNames.map((name) => summaryFields[name])) {
      await db.all(`SELECT ${column} FROM entities WHERE 1 = 0`).catch((cause) => {
        const what = `migrations/registry/: add a migration with the column "${column}" of entities, which src/base/entity-summary.ts names`;
        assert.fail(`${what} (${cause.message})`);
      });
    }
  });
});

test('the page of a record shows every field of the summary', () => {
  for (const name of summaryNames) {
    // The register is shown by its name, as the source of the record, and the ELF code with its name, from the legal form.
    if (!summaryFields[name].nullable || name === 'register' || name === 'elf') continue;
    const [with_, without] = ['2003-02-01', null].map((value) => showRecord({}, { [name]: value }));
    assert.notEqual(with_, without, `src/portal/pages/entity.ts: show the field "${name}" of a record`);
  }
});
