import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TYPES } from '../../src/registers/au/register.ts';
import {
  addElf,
  elfCodes,
  type FormRow,
  findForms,
  formColumnOf,
  formRows,
  isConfirmed,
  legalFormClassNames,
  readForm,
} from '../../src/registers/classifications/elf.ts';
import { registers } from '../../src/registers/index.ts';

test('a national form has its ELF code and class, by the code or the name that its register uses', () => {
  const elf = { code: 'YI42', name: 'Aksjeselskap', source: 'register', trust: 'exact' };
  assert.deepEqual(readForm('no', 'AS', 'Aksjeselskap'), { elf, legalFormClass: 'limited_company' });
  assert.equal(readForm('lv', 'AS', 'Akciju sabiedrība').elf?.code, 'VJBO', 'the same code in another register');
  assert.equal(readForm('gb', null, 'Private Limited Company').elf?.code, 'H0PO');
  assert.equal(readForm('ee', 'OÜ', 'Osaühing').elf?.code, 'JC0Y', 'the code does not matter where names are used');
  assert.equal(readForm('ro', 'SRL', 'SRL').elf?.code, 'XHN1', 'by abbreviation');
  assert.equal(readForm('fr', '5710', 'SAS, société par actions simplifiée').elf?.code, '6CHY');
});

test('a form without an ELF code has a class, and an unknown form has neither', () => {
  assert.deepEqual(readForm('no', 'NUF', 'Norskregistrert utenlandsk foretak'), {
    elf: null,
    legalFormClass: 'branch',
  });
  for (const [register, code, label] of [
    ['no', 'XX', 'Aksjeselskap'],
    ['gb', null, 'private limited company'],
    ['xx', 'AS', 'AS'],
    [null, null, null],
  ] as const) {
    assert.deepEqual(readForm(register, code, label), { elf: null, legalFormClass: null });
  }
});

test('a Belgian form is known by its code, with and without a text in any language', () => {
  const classOf = (code: string, label = code) => readForm('be', code, label).legalFormClass;
  for (const [formClass, codes] of Object.entries({
    public_body: '110 301 385 392 411 412 414 415 416 417 418 716',
    cooperative: '008 016 706',
    partnership: '011 702',
    foundation: '018 026 029',
    other: '721 999 2',
    sole_trader: '1',
  })) {
    for (const code of codes.split(' ')) assert.equal(classOf(code), formClass, code);
  }
  assert.equal(classOf('416', 'Association prestataire de services (Région flamande)'), 'public_body');
  assert.equal(readForm('be', '416', '416').elf?.code, '6DGX');
  assert.equal(readForm('be', '016', 'Coöperatieve vennootschap (oud statuut)').elf, null, 'not the form of today');
  // The texts of these codes are not certain.
  for (const code of ['606', '608', '614', '777']) assert.equal(classOf(code), null, code);
});

test('an LEI record has the code that it says, also one that the list lacks', () => {
  const lei = { source: 'lei', trust: 'exact' };
  assert.deepEqual(readForm('gleif', 'H0PO', 'Private Limited Company'), {
    elf: { code: 'H0PO', name: 'Private Limited Company', ...lei },
    legalFormClass: 'limited_company',
  });
  assert.deepEqual(readForm('gleif', 'ZZZ9', 'New Form').elf, { code: 'ZZZ9', name: 'New Form', ...lei });
  for (const code of ['8888', '9999', null]) assert.equal(readForm('gleif', code, 'Some form').elf, null);
});

const row: FormRow = {
  ...{ register: 'no', form: 'FLI', label: '', elf: 'FSBD', basis: 'meaning', class: 'association', reason: '' },
};
const check = (elf: string, companies: number) => ({ register: 'no', form: 'FLI', elf, companies });

test('a code that was found by meaning is used only if LEI records of five companies and nine of ten agree', () => {
  assert.equal(isConfirmed(row, []), false);
  assert.equal(isConfirmed(row, [check('FSBD', 4)]), false);
  assert.equal(isConfirmed(row, [check('FSBD', 9), check('3C7U', 1)]), true);
  assert.equal(isConfirmed(row, [check('FSBD', 8), check('3C7U', 1)]), false);
  assert.equal(isConfirmed(row, [{ ...check('FSBD', 9), register: 'dk' }]), false);
  for (const one of formRows.filter(({ basis }) => basis === 'meaning')) {
    const found = readForm(one.register, one.form, one.form).elf;
    assert.equal(found?.trust ?? null, isConfirmed(one) ? 'checked' : null, `${one.register} ${one.form}`);
  }
});

test('every row of the table has an active code of its country, a class and a reason', () => {
  const countries = new Map(registers.map(({ id, country }) => [id, country]));
  const seen = new Set<string>();
  for (const { register, form, elf, basis, class: formClass, reason } of formRows) {
    const name = `${register} ${form}`;
    assert.ok(!seen.has(name), `${name} is in the table once`);
    seen.add(name);
    assert.ok(legalFormClassNames.includes(formClass), name);
    assert.notEqual(reason, '', name);
    assert.equal(basis === 'none', elf === '', name);
    if (elf === '') continue;
    assert.equal(elfCodes.get(elf)?.isActive, true, `${name}: ${elf}`);
    assert.equal(elfCodes.get(elf)?.country, countries.get(register), `${name}: ${elf}`);
  }
});

test('every form in the list of au has a decision', () => {
  const missing = [...TYPES.keys()].filter((code) => readForm('au', code, null).legalFormClass === null);
  assert.deepEqual(missing, []);
});

test('a filter lists exactly the forms whose meaning fulfils it', () => {
  const listed = (filter: Parameters<typeof findForms>[0]) =>
    new Set(
      findForms(filter).flatMap(({ register, column, values }) => {
        assert.equal(column, formColumnOf(register));
        return values.map((value) => `${register} ${value}`);
      }),
    );
  const forms = [
    ...formRows.map(({ register, form }) => ({ register, form })),
    ...[...elfCodes.keys()].map((form) => ({ register: 'gleif', form })),
  ];
  const filters = [
    ...[...new Set(formRows.map(({ elf }) => elf)), 'XXXX'].map((elf) => ({ elf: [elf] })),
    ...legalFormClassNames.map((name) => ({ legalFormClass: [name] })),
    { elf: ['H0PO', 'YI42'], legalFormClass: ['limited_company', 'branch'] },
  ];
  for (const filter of filters) {
    const found = listed(filter);
    for (const { register, form } of forms) {
      const { elf, legalFormClass } = readForm(register, form, form);
      const fulfils =
        (!('elf' in filter) || (elf !== null && filter.elf.includes(elf.code))) &&
        (!('legalFormClass' in filter) ||
          (filter.legalFormClass as readonly (string | null)[]).includes(legalFormClass));
      assert.equal(found.has(`${register} ${form}`), fulfils, `${register} ${form} ${JSON.stringify(filter)}`);
    }
  }
  assert.ok(listed({ elf: ['ZZZ9'] }).has('gleif ZZZ9'), 'a code that only LEI records have');
});

test('a record shows the code of its form, and the one of its LEI record if that differs', () => {
  const form = { register: 'gb', legalForm: 'Private Limited Company', legalFormCode: null };
  const lei = (legalFormCode: string) => ({ register: 'gleif', legalForm: 'x', legalFormCode });
  const registry = '{"legalForm":{"label":"Private Limited Company"},"national":{"legalForm":{"a":1}}}';
  const read = (related: Parameters<typeof addElf>[2], of = form) => JSON.parse(addElf(registry, of, related));
  const own = { code: 'H0PO', name: 'Private Limited Company', source: 'register', trust: 'exact' };
  const label = 'Private Limited Company';
  assert.deepEqual(read([]), { legalForm: { elf: own, label }, national: { legalForm: { a: 1 } } });
  assert.deepEqual(read([lei('H0PO')]).legalForm, { elf: own, label });
  const leiElf = { code: 'B6ES', name: 'Public Limited Company', source: 'lei', trust: 'exact' };
  assert.deepEqual(read([lei('8888'), lei('B6ES')]).legalForm, { elf: own, leiElf, label });
  assert.deepEqual(read([lei('B6ES')], { ...form, legalForm: 'New' }).legalForm, { leiElf, label });
  assert.deepEqual(
    read([{ ...form, legalForm: 'Public Limited Company' }]).legalForm,
    { elf: own, label },
    'not an LEI record',
  );
  assert.equal(addElf('{"national":{"legalForm":{}}}', form, []), '{"national":{"legalForm":{}}}');
});
