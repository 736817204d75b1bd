import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkForms, measureForms } from '../../scripts/elf-checks.ts';
import { insertLinks } from '../../src/import/store.ts';
import { usualEngines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { writeGb } from './gb-file.ts';
import { numbered, useImports } from './gb-import.ts';

describeOn(usualEngines, 'legal forms', (engine) => {
  const store = useImports(engine);

  test('the codes of LEI records are counted by national form, and companies by what their forms mean', async () => {
    await store.run(writeGb(store.folder, 'companies.csv', numbered(8)));
    const { db } = store;
    const rows = await db.all<{ id: string }>('SELECT id FROM entities ORDER BY registration_number');
    const [a, b, c, d, e, f, g, h] = rows.map(({ id }) => id) as [
      string,
      string,
      string,
      string,
      string,
      string,
      string,
      string,
    ];
    const change = (ids: readonly string[], register: string, form: string | null, code: string | null) =>
      Promise.all(
        ids.map((id) =>
          db.run('UPDATE entities SET register = $2, legal_form = $3, legal_form_code = $4 WHERE id = $1', [
            id,
            register,
            form,
            code,
          ]),
        ),
      );
    await change([a, b], 'gb', 'Private Limited Company', null);
    await change([c], 'no', 'Forening/lag/innretning', 'FLI');
    await change([d], 'no', null, null);
    await change([e, f], 'gleif', 'Private Limited Company', 'H0PO');
    await change([g], 'gleif', 'Forening', 'FSBD');
    await change([h], 'gleif', 'Something', '8888');
    const link = (from: string, to: string) => ({ from, to, numbers: 'x' });
    await insertLinks(db, [link(e, a), link(f, b), link(g, c), link(h, d)]);

    assert.deepEqual(await checkForms(db), [
      { register: 'gb', form: 'Private Limited Company', elf: 'H0PO', companies: 2 },
      { register: 'no', form: 'FLI', elf: 'FSBD', companies: 1 },
    ]);
    assert.deepEqual(await measureForms(db), [
      { register: 'gb', entities: 2, withForm: 2, withListedForm: 2, withElf: 2, withClass: 2 },
      { register: 'gleif', entities: 4, withForm: 4, withListedForm: 3, withElf: 3, withClass: 3 },
      { register: 'no', entities: 2, withForm: 1, withListedForm: 1, withElf: 1, withClass: 1 },
    ]);
  });
});
