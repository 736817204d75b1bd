import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPermissive } from '../scripts/licence-terms.ts';

test('a licence is permissive when every part that has to be kept is', () => {
  for (const licence of ['MIT', 'Apache-2.0', '(MIT OR CC0-1.0)', 'MIT AND ISC', 'GPL-3.0 OR MIT', 'BSD-3-Clause']) {
    assert.equal(isPermissive(licence), true, licence);
  }
  for (const licence of [
    'GPL-3.0-or-later',
    'AGPL-3.0',
    'LGPL-2.1',
    'MPL-2.0',
    'SSPL-1.0',
    'MIT AND GPL-2.0',
    'UNLICENSED',
    'SEE LICENSE IN LICENSE.md',
    'none',
    '',
    '(MIT AND (GPL-2.0 OR ISC))',
  ]) {
    assert.equal(isPermissive(licence), false, licence);
  }
});
