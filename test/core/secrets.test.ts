import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import {
  createApiKey,
  createToken,
  equalSecrets,
  hashSecret,
  isWellFormedSecret,
  prefixOf,
} from '../../src/core/secrets.ts';
import { anyCharacter } from '../harness/any-character.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const key = fc.constantFrom('live' as const, 'test' as const).map((mode) => createApiKey(mode));

describe('API keys', () => {
  test('a key is frm_live_ or frm_test_, 40 random characters and a checksum of 6, in base62', () => {
    assert.match(createApiKey('live'), /^frm_live_[0-9A-Za-z]{46}$/);
    assert.match(createApiKey('test'), /^frm_test_[0-9A-Za-z]{46}$/);
    assert.notEqual(createApiKey('live'), createApiKey('live'));
  });

  test('the checksum is the CRC-32 of the preceding text in base62', () => {
    const created = createApiKey('live');
    const value = [...created.slice(-6)].reduce((sum, character) => sum * 62 + BASE62.indexOf(character), 0);
    assert.equal(value, crc32(created.slice(0, -6)));
  });

  test('every new key is well formed', () => {
    fc.assert(
      fc.property(key, (secret) => isWellFormedSecret(secret, 'frm')),
      { numRuns: 500 },
    );
  });

  test('every character of the alphabet is equally likely', () => {
    const counts = new Map<string, number>();
    for (let at = 0; at < 5_000; at++) {
      for (const character of createApiKey('live').slice(9, 49)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    // 3,226 of each on average, with a standard deviation of 56. A byte modulo 62 would give the first eight 3,906.
    assert.equal(counts.size, 62);
    for (const [character, count] of counts) assert.ok(Math.abs(count - 3_226) < 6 * 56, `${character}: ${count}`);
  });

  test('every changed character is detected at every position', () => {
    const created = createApiKey('live');
    for (let at = 0; at < created.length; at++) {
      for (const other of `${BASE62}_-.é `) {
        if (other === created[at]) continue;
        assert.ok(
          !isWellFormedSecret(created.slice(0, at) + other + created.slice(at + 1), 'frm'),
          `${other} at ${at}`,
        );
      }
    }
  });

  test('a missing, doubled or swapped character and a changed case are detected', () => {
    fc.assert(
      fc.property(key, fc.nat(53), (created, at) => {
        const [left, right] = [created.slice(0, at), created.slice(at + 1)];
        assert.ok(!isWellFormedSecret(left + right, 'frm'));
        assert.ok(!isWellFormedSecret(left + created[at] + created[at] + right, 'frm'));
        const swapped = left + (created[at + 1] ?? '') + created[at] + created.slice(at + 2);
        assert.equal(isWellFormedSecret(swapped, 'frm'), swapped === created);
        assert.ok(!isWellFormedSecret(`${created}\n`, 'frm') && !isWellFormedSecret(` ${created}`, 'frm'));
        assert.equal(isWellFormedSecret(created.toUpperCase(), 'frm'), false);
      }),
    );
  });

  test('other text is not a key', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => !isWellFormedSecret(text, 'frm')));
  });

  test('characters are uniformly distributed: 40,000 of them are within five standard deviations', () => {
    const counts = new Map<string, number>();
    const draws = 1_000;
    for (let index = 0; index < draws; index++) {
      for (const character of createApiKey('live').slice(9, 49)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (draws * 40) / 62;
    const bound = 5 * Math.sqrt(expected * (1 - 1 / 62));
    assert.equal(counts.size, 62);
    for (const [character, count] of counts) {
      assert.ok(Math.abs(count - expected) < bound, `${character}: ${count}, expected ${expected} ± ${bound}`);
    }
  });

  test('the prefix shows 6 random characters and hides 34', () => {
    const created = createApiKey('test');
    assert.equal(prefixOf(created), created.slice(0, 15));
  });
});

describe('secrets', () => {
  test('are hashed with SHA-256', () => {
    assert.equal(hashSecret('abc'), createHash('sha256').update('abc').digest('hex'));
  });

  test('are compared by value, whatever their length', () => {
    fc.assert(fc.property(fc.string(), fc.string(), (a, b) => equalSecrets(a, b) === (a === b)));
    assert.ok(equalSecrets('same', 'same'));
  });

  test('session tokens have 256 random bits', () => {
    assert.match(createToken(), /^[\w-]{43}$/);
    assert.notEqual(createToken(), createToken());
  });
});
