import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { networkOf, normalizeAddress } from '../../src/core/requests/networks.ts';

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const groups = fc.array(group, { minLength: 8, maxLength: 8 });

/** One of the ways to write an address: leading zeros or not, upper case or not, any run of zeros shortened or none, a zone. */
const spelling = fc.record({
  pad: fc.boolean(),
  upper: fc.boolean(),
  run: fc.nat(7),
  zone: fc.constantFrom('', '%eth0', '%2'),
});
type Spelling = typeof spelling extends fc.Arbitrary<infer S> ? S : never;

function spell(address: readonly number[], { pad, upper, run, zone }: Spelling): string {
  const texts = address.map((each) => each.toString(16).padStart(pad ? 4 : 1, '0'));
  let end = run;
  while (address[end] === 0) end++;
  const text = end === run ? texts.join(':') : `${texts.slice(0, run).join(':')}::${texts.slice(end).join(':')}`;
  return (upper ? text.toUpperCase() : text) + zone;
}

describe('addresses of clients', () => {
  test('every way to write an address gives the same text', () => {
    fc.assert(
      fc.property(groups, spelling, spelling, (address, one, other) => {
        assert.equal(normalizeAddress(spell(address, one)), normalizeAddress(spell(address, other)));
      }),
    );
  });

  test('an IPv4 address is the same in every form', () => {
    for (const text of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '::FFFF:CB00:7107',
      '0:0:0:0:0:ffff:203.0.113.7',
      '::ffff:203.0.113.7%1',
    ])
      assert.equal(normalizeAddress(text), '203.0.113.7', text);
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
    assert.notEqual(networkOf('203.0.113.7'), networkOf('203.0.113.8'));
  });

  test('an IPv6 network has 64 bits: the same for all its addresses, another one for all others', () => {
    fc.assert(
      fc.property(groups, groups, spelling, (a, b, how) => {
        const network = (address: readonly number[]) => networkOf(normalizeAddress(spell(address, how)));
        const sameNetwork = [...a.slice(0, 4), ...b.slice(4)];
        // Embedded IPv4 addresses are networks of their own.
        fc.pre(![a, b, sameNetwork].some((each) => each.slice(0, 5).every((part) => part === 0)));
        assert.equal(network(a), network(sameNetwork));
        assert.equal(network(a) === network(b), String(a.slice(0, 4)) === String(b.slice(0, 4)));
      }),
    );
    assert.equal(networkOf(normalizeAddress('2001:db8::1')), '2001:db8:0:0::/64');
    assert.equal(networkOf(normalizeAddress('::1')), '0:0:0:0::/64');
    assert.equal(networkOf(normalizeAddress('1::2:3:4:5:6:7')), '1:0:2:3::/64');
  });
});
