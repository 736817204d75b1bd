import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLegalForms } from '../../../src/registers/gleif/legal-forms.ts';

const row = (code: string, country: string, name: string, language: string) => ({
  'ELF Code': code,
  'Country Code (ISO 3166-1)': country,
  'Entity Legal Form name Local name': name,
  'Language Code (ISO 639-1)': language,
});

test('the names of all codes come with the register', () => {
  const forms = readLegalForms([]);
  assert.ok(forms.size > 3000);
  assert.equal(forms.get('H0PO')?.label, 'Private Limited Company');
  assert.equal(forms.get('T417')?.label, '株式会社');
  assert.deepEqual(forms.get('3W7E'), {
    code: '3W7E',
    label: 'Besloten Vennootschap',
    labels: {
      nl: 'Besloten Vennootschap',
      fr: 'Société à responsabilité limitée',
      de: 'Gesellschaft mit beschränkter Haftung',
    },
    scheme: 'ISO 20275',
  });
  assert.equal(forms.get('2B81')?.label, 'Einfache Gesellschaft', 'a Swiss form is not named in English');
  for (const [code, { label, labels = {} }] of forms) {
    assert.match(code, /^[0-9A-Z]{4}$/);
    for (const name of [label ?? '', ...Object.values(labels)]) assert.ok(name.length > 0 && name.length <= 250, code);
    for (const language of Object.keys(labels)) assert.match(language, /^[a-z]{2}$/);
  }
});

test('a list that is given replaces the names of its codes and adds new ones', () => {
  const forms = readLegalForms([
    row('H0PO', 'GB', ' Private  company limited by shares\u00a0', 'en'),
    row('ZZ01', 'KR', '회사', 'kr'),
    row('ZZ02', 'CH', 'Cooperative', 'en'),
    row('ZZ02', 'CH', 'Genossenschaft', 'de'),
    row('ZZ03', 'CA', 'Loi '.repeat(600), 'fr'),
    row('', 'GB', 'Nothing', 'en'),
  ]);
  assert.deepEqual(forms.get('H0PO'), {
    code: 'H0PO',
    label: 'Private company limited by shares',
    scheme: 'ISO 20275',
  });
  assert.equal(forms.get('ZZ01')?.label, '회사');
  assert.deepEqual(forms.get('ZZ02')?.labels, { de: 'Genossenschaft', en: 'Cooperative' });
  assert.equal(forms.get('ZZ02')?.label, 'Genossenschaft');
  assert.ok((forms.get('ZZ03')?.label?.length ?? 0) <= 242);
  assert.equal(forms.get('2HBR')?.label, 'Gesellschaft mit beschränkter Haftung');
});
