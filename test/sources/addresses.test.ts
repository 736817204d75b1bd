import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isPrivateAddress, parseNat64 } from '../../src/base/system/addresses.ts';

/**
 * The special-purpose address registries of IANA (RFC 6890 and its updates), multicast, and retired ranges: the first and the last
 * address of each range, then the addresses before and after it where those are public.
 */
const RESERVED: readonly (readonly [range: string, first: string, last: string, ...outside: string[]])[] = [
  ['this network', '0.0.0.0', '0.255.255.255', '1.0.0.0'],
  ['private use', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['shared address space', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['Azure platform', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private use', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['IETF protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['TEST-NET-1', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['AS112-v4', '192.31.196.0', '192.31.196.255', '192.31.195.255', '192.31.197.0'],
  ['AMT', '192.52.193.0', '192.52.193.255', '192.52.192.255', '192.52.194.0'],
  ['6to4 relay anycast', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private use', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['direct delegation AS112', '192.175.48.0', '192.175.48.255', '192.175.47.255', '192.175.49.0'],
  ['benchmarking', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['TEST-NET-2', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['TEST-NET-3', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['reserved', '240.0.0.0', '255.255.255.254'],
  ['limited broadcast', '255.255.255.255', '255.255.255.255'],
  ['unspecified', '::', '::'],
  ['loopback', '::1', '::1'],
  ['IPv4-compatible', '::', '::255.255.255.255'],
  ['IPv4-mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255'],
  ['IPv4-translated', '::ffff:0:0.0.0.0', '::ffff:0:255.255.255.255'],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard-only', '100::', '100::ffff:ffff:ffff:ffff'],
  ['dummy prefix', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['outside 2000::/3', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2000::'],
  ['IETF protocol assignments', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['Teredo', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['benchmarking', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['ORCHIDv2', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7::', '2001:db9::'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['AS112-v6', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '2620:4f:7fff::', '2620:4f:8001::'],
  ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['outside 2000::/3', '4000::', '5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['SRv6 SIDs', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['outside 2000::/3', '6000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

describe('an address', () => {
  test('of a reserved range is private, and those beside the range are not', () => {
    for (const [range, first, last, ...outside] of RESERVED) {
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
