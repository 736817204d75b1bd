import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSite } from '../../src/core/site.ts';

const LOOPBACK = [
  'localhost',
  'LOCALHOST',
  'localhost:1',
  'localhost.',
  'app.localhost:80',
  '127.0.0.1',
  '127.9.8.7:3000',
];

/** Names of other sites, and spellings of loopback addresses that no browser sends. */
const FOREIGN = [
  'attacker.example',
  'attacker.example:3000',
  'localhost.attacker.example',
  '127.0.0.1.attacker.example',
  'notlocalhost',
  '127.0.0.1.nip.io',
  '127.0.0.256',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0.0.0.0:3000',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '',
  '.',
  ':3000',
];

describe('the names of the site', () => {
  test('are all loopback names if its address is on this machine', () => {
    for (const url of ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']) {
      const site = createSite({ url: () => url });
      for (const host of [...LOOPBACK, '[::1]', '[::1]:3000']) assert.equal(site.hasHost(host), true, `${url} ${host}`);
      for (const host of [...FOREIGN, undefined]) assert.equal(site.hasHost(host), false, `${url} ${host}`);
    }
  });

  test('are all loopback names if it listens on all addresses and has no public address', () => {
    for (const url of ['http://0.0.0.0:3000', 'http://[::]:3000']) {
      const site = createSite({ url: () => url });
      assert.equal(site.hasHost('localhost:3000'), true);
      assert.equal(site.hasOrigin('http://localhost:3000'), true);
      assert.equal(site.hasHost('attacker.example:3000'), false);
    }
  });

  test('are the host of its address and the allowed hosts otherwise, in any case, with any port', () => {
    const site = createSite({ url: () => 'https://api.example.com', allowedHosts: ['www.example.com', '10.0.0.7'] });
    for (const host of [
      'api.example.com',
      'API.Example.com.',
      'api.example.com:8443',
      'www.example.com:443',
      '10.0.0.7:3000',
    ]) {
      assert.equal(site.hasHost(host), true, host);
      assert.equal(site.hasHost(host), true, `${host} again`);
    }
    for (const host of [...LOOPBACK, ...FOREIGN, 'example.com', 'x.api.example.com', 'api.example.com..']) {
      assert.equal(site.hasHost(host), false, host);
    }
  });

  test('an origin must also have the scheme and the port of the address', () => {
    const local = createSite({ url: () => 'http://127.0.0.1:3000' });
    for (const origin of ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']) {
      assert.equal(local.hasOrigin(origin), true, origin);
    }
    for (const origin of [
      'http://localhost',
      'http://localhost:5173',
      'https://localhost:3000',
      'http://attacker.example:3000',
      'http://localhost:3000/',
      'http://LOCALHOST:3000',
      'http://me@localhost:3000',
      'null',
      '',
      'http://localhost:3000, http://attacker.example',
    ]) {
      assert.equal(local.hasOrigin(origin), false, origin);
    }
    const site = createSite({ url: () => 'https://api.example.com', allowedHosts: ['www.example.com'] });
    assert.equal(site.hasOrigin('https://www.example.com'), true);
    assert.equal(site.hasOrigin('http://www.example.com'), false);
    assert.equal(site.hasOrigin('https://www.example.com:8443'), false);
  });
});
