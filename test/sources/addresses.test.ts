import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isPrivateAddress, parseNat64 } from '../../src/base/system/addresses.ts';

const RESERVED = readFileSync(new URL('reserved-addresses.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'));

describe('an address', () => {
  test('of a reserved range is private, and those beside the range are not', () => {
    assert.ok(RESERVED.length > 40);
    for (const [range, first = '', last = '', ...outside] of RESERVED) {
      for (const address of [first, last]) assert.ok(isPrivateAddress(address), `${range}: ${address}`);
      for (const address of outside) assert.ok(!isPrivateAddress(address), `beside ${range}: ${address}`);
    }
    for (const address of ['8.8.8.8', '2001:4860:4860::8888', '2a00:1450:4001::1', 'example.com', ''])
      assert.ok(!isPrivateAddress(address), address);
  });

  test('that a resolver made of an IPv4 address is judged by it', () => {
    for (const [address, ipv4] of [
      ['64:ff9b::8.8.8.8', '8.8.8.8'],
      ['64:ff9b::808:808', '8.8.8.8'],
      ['0064:FF9B:0:0:0:0:a9fe:a9fe', '169.254.169.254'],
      ['64:ff9b::1', '0.0.0.1'],
      ['64:ff9b::a00:0', '10.0.0.0'],
      ['64:ff9b::', '0.0.0.0'],
      ['64:ff9b::1:0:0', undefined],
      ['64:ff9b:1::808:808', undefined],
      ['2001:4860:4860::8888', undefined],
      ['8.8.8.8', undefined],
    ] as const) {
      assert.equal(parseNat64(address), ipv4, address);
    }
  });
});
