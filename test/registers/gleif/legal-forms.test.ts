import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLegalForms } from '../../../src/registers/gleif/legal-forms.ts';

test('the names of all codes come with the register', () => {
  const forms = readLegalForms([]);
  assert.ok(forms.size > 3000);
  for (const [code, { label, labels = {} }] of forms) {
    assert.match(code, /^[0-9A-Z]{4}$/);
    for (const name of [label ?? '', ...Object.values(labels)]) assert.ok(name.length > 0 && name.length <= 250, code);
    for (const language of Object.keys(labels)) assert.match(language, /^[a-z]{2}$/);
  }
});
