import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fail, reasonOf } from '../src/core/errors.ts';
import { isUuid, takeRequestId } from '../src/core/ids.ts';
import { findNearest } from '../src/core/nearest.ts';
import { html, trusted } from '../src/web/html.ts';
import { anyCharacter } from './harness/any-character.ts';

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
