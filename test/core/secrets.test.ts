import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { fail, reasonOf } from '../../src/base/errors.ts';
import { html, trusted } from '../../src/base/html.ts';
import { isUuid } from '../../src/base/ids.ts';
import { findNearest } from '../../src/base/nearest.ts';
import { createSlots } from '../../src/base/requests/slots.ts';
import {
  createApiKey,
  createToken,
  equalSecrets,
  hashSecret,
  isWellFormedSecret,
  prefixOf,
} from '../../src/base/secrets.ts';
import { takeRequestId } from '../../src/http/request.ts';
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

/** Slots with a clock that the test sets, and the accounts whose downloads had to end. */
function createHouse(limits: { perAccount: number; inTotal: number }) {
  const house = { now: 1_000, ended: [] as string[] };
  const slots = createSlots({ ...limits, guaranteedMs: 30_000 }, () => house.now);
  return { house, take: (account: string) => slots.take(account, () => house.ended.push(account)) };
}

test('an account has a bounded number, and each is released once', () => {
  const { take } = createHouse({ perAccount: 2, inTotal: 3 });
  const first = take('a');
  take('a');
  assert.throws(() => take('a'), { code: 'concurrency_limit_exceeded', headers: { 'Retry-After': '5' } });
  first();
  first();
  take('a');
  assert.throws(() => take('a'), { code: 'concurrency_limit_exceeded' });
});

test('in a full house, an account without a download gets the newest one of an account with several', () => {
  const { house, take } = createHouse({ perAccount: 2, inTotal: 4 });
  for (const account of ['a', 'a', 'b', 'b']) take(account);
  take('c');
  assert.deepEqual(house.ended, ['b']);
  take('d');
  assert.deepEqual(house.ended, ['b', 'a']);
});

test('if every account has one, the oldest ends after its guaranteed time, and only for an account that has none', () => {
  const { house, take } = createHouse({ perAccount: 2, inTotal: 2 });
  take('a');
  house.now += 10_000;
  take('b');
  assert.throws(() => take('c'), { code: 'service_unavailable', headers: { 'Retry-After': '20' } });
  house.now += 20_000;
  assert.throws(() => take('b'), { code: 'service_unavailable' }, 'a second one does not end the only one of another');
  take('c');
  assert.deepEqual(house.ended, ['a']);
});

test('an account that has none gets one within the guaranteed time, whatever others do', () => {
  const accounts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 40 });
  fc.assert(
    fc.property(accounts, fc.integer({ min: 1, max: 4 }), (takers, inTotal) => {
      const { house, take } = createHouse({ perAccount: 2, inTotal });
      for (const account of takers) {
        try {
          take(account);
        } catch {}
      }
      house.now += 30_000;
      take('newcomer');
      assert.ok(house.ended.length <= takers.length);
    }),
  );
});

describe('findNearest', () => {
  test('suggests a similar word, and nothing if none is similar', () => {
    const names = ['q', 'country', 'legalForm', 'activity', 'activityType', 'page', 'pageSize'];
    assert.equal(findNearest('pagesize', names), 'pageSize');
    assert.equal(findNearest('pag', names), 'page');
    assert.equal(findNearest('contry', names), 'country');
    assert.equal(findNearest('apge', names), 'page');
    assert.equal(findNearest('activitytype', names), 'activityType');
    assert.equal(findNearest('zzzzzzzz', names), undefined);
    assert.equal(findNearest('x'.repeat(100_000), names), undefined);
    assert.equal(findNearest('', []), undefined);
    assert.equal(findNearest('', ['q']), undefined);
  });

  test('suggests nothing for a word of two letters, and prefers the same first letter', () => {
    assert.equal(findNearest('xx', ['au', 'be', 'gleif']), undefined);
    assert.equal(findNearest('bg', ['gb']), undefined);
    assert.equal(findNearest('gbr', ['br', 'gb']), 'gb');
  });

  test('suggests only words of which at most a third of the letters differ', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.array(fc.string({ maxLength: 8 })), (word, candidates) => {
        const found = findNearest(word, candidates);
        if (found === undefined) return;
        const letters = new Set(found.toLowerCase());
        const shared = [...word.toLowerCase()].filter((letter) => letters.has(letter)).length;
        assert.ok(shared >= word.length - Math.floor(Math.max(word.length, found.length) / 3));
      }),
    );
  });
});

describe('request ids', () => {
  test('an id that is not a UUID is replaced', () => {
    fc.assert(fc.property(fc.string(), (text) => isUuid(takeRequestId(text))));
    fc.assert(fc.property(fc.uuid(), (id) => takeRequestId(id) === id));
    assert.notEqual(takeRequestId(undefined), takeRequestId(undefined));
    assert.ok(isUuid(takeRequestId(['7d3c1c3e-5b0f-4b0a-9e53-0a5a3f6f1a11'])));
  });
});

describe('html', () => {
  test('escapes every inserted text at any depth, except HTML', () => {
    const name = `<script>alert("x")</script> & 'Sons'`;
    const item = html`<li title="${name}">${name}</li>`;
    const escaped = '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;';
    assert.equal(item.text, `<li title="${escaped}">${escaped}</li>`);
    assert.equal(html`<ul>${[item, ['<b>', trusted('<i>')]]}</ul>`.text, `<ul>${item.text}&lt;b&gt;<i></ul>`);
    assert.equal(html`${null}${undefined}${false}${0}${''}`.text, '0');
    assert.equal(html`${name.repeat(500)}`.text, escaped.repeat(500), 'long texts are escaped in another way');
  });

  test('no text can open a tag or end an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.doesNotMatch(html`${text}`.text, /[<>"']/);
      }),
    );
  });
});

describe('failures', () => {
  test('reasonOf returns the underlying reason, even of an error without a message', () => {
    assert.equal(reasonOf(fail('service_unavailable', { cause: new Error('disk full') })), 'disk full');
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    assert.equal(reasonOf(fail('service_unavailable', { cause: refused })), 'ECONNREFUSED');
    assert.equal(reasonOf(fail('not_found')), 'There is nothing at this path: check it against the contract.');
  });
});
