import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import Stripe from 'stripe';
import { isSigned } from '../../src/billing/signature.ts';

const NOW = 1_773_576_000_000;
const stripe = new Stripe('sk_test_unused');
const signWithSdk = (payload: string, secret: string, timestamp = NOW / 1_000) =>
  stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });

test('a signature of the official SDK is accepted, with any of the secrets and for any text', () => {
  const property = fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (payload, secret) => {
    assert.ok(isSigned(Buffer.from(payload), signWithSdk(payload, secret), ['another', secret], NOW));
    assert.ok(!isSigned(Buffer.from(payload), signWithSdk(payload, secret), ['another'], NOW));
    assert.ok(!isSigned(Buffer.from(payload), signWithSdk(payload, secret), [], NOW));
  });
  fc.assert(property, { numRuns: 500 });
});

test('upper-case hex digits are accepted', () => {
  const [time, signature = ''] = signWithSdk('{}', 'secret').split(',v1=');
  assert.ok(isSigned(Buffer.from('{}'), `${time},v1=${signature.toUpperCase()}`, ['secret'], NOW));
});

test('a signature is rejected if one bit of body or signature is changed', () => {
  const payload = '{"id":"evt_1","type":"ping","created":1}';
  const header = signWithSdk(payload, 'secret');
  for (let bit = 0; bit < payload.length * 8; bit++) {
    const body = Buffer.from(payload);
    body[bit >> 3] = (body[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.ok(!isSigned(body, header, ['secret'], NOW));
  }
  for (let at = header.indexOf('v1=') + 3; at < header.length; at++) {
    const other = header[at] === '0' ? '1' : '0';
    assert.ok(!isSigned(Buffer.from(payload), header.slice(0, at) + other + header.slice(at + 1), ['secret'], NOW));
  }
});

test('malformed headers are rejected without an exception', () => {
  const parts = fc.array(fc.oneof(fc.string(), fc.constantFrom('t=', 'v1=', ',', `t=${NOW / 1_000}`, 'v1=zz', '=')));
  const property = fc.property(parts, (pieces) => {
    assert.equal(isSigned(Buffer.from('x'), pieces.join(''), ['secret'], NOW), false);
  });
  fc.assert(property, { numRuns: 1_000 });
});
