import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SourceProblem, toProblem } from '../../src/sources/problem.ts';

const url = new URL('https://publisher.example:8443/register.csv');
const withCode = (code: string, more: object = {}) => Object.assign(new Error(code), { code, ...more });

describe('an error', () => {
  test('of the network or the disk is a problem with what to do, and whether to try again', () => {
    const host = 'publisher.example:8443';
    for (const [error, message, advice, retry] of [
      [withCode('ENOSPC'), 'the disk is full', 'disk', false],
      [withCode('EDQUOT'), 'the disk quota is used up', 'disk', false],
      [withCode('EROFS'), 'DATA_DIR cannot be written', 'permission', false],
      [withCode('EACCES', { syscall: 'open' }), 'DATA_DIR cannot be written', 'permission', false],
      [withCode('EPERM', { syscall: 'open' }), 'DATA_DIR cannot be written', 'permission', false],
      [withCode('ENOTFOUND'), 'the host name publisher.example could not be resolved', 'network', true],
      [withCode('EAI_AGAIN'), 'the host name publisher.example could not be resolved', 'network', true],
      [
        withCode('CERT_HAS_EXPIRED'),
        `${host} has a certificate that cannot be verified (CERT_HAS_EXPIRED)`,
        'certificate',
        false,
      ],
      [withCode('UND_ERR_PRX_TLS'), `the proxy did not connect to ${host}`, 'proxy', true],
      [withCode('UND_ERR_HEADERS_TIMEOUT'), `${host} did not respond in time`, 'later', true],
      [withCode('ETIMEDOUT'), `${host} did not respond in time`, 'later', true],
      [withCode('ECONNREFUSED'), `${host} refused the connection`, 'later', true],
      [withCode('ENETUNREACH'), `${host} cannot be reached`, 'later', true],
      [withCode('EHOSTUNREACH'), `${host} cannot be reached`, 'later', true],
      [withCode('EPERM', { syscall: 'connect' }), `${host} cannot be reached`, 'later', true],
      [withCode('HPE_INVALID_VERSION'), `${host} sent an invalid response`, 'later', true],
      [withCode('ECONNRESET'), `${host} closed the connection`, 'later', true],
      // One per address of the host.
      [
        new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]),
        `${host} refused the connection`,
        'later',
        true,
      ],
      [new Error('terminated', { cause: withCode('UND_ERR_SOCKET') }), `${host} closed the connection`, 'later', true],
    ] as const) {
      const problem = toProblem(error, url);
      assert.ok(problem instanceof SourceProblem, message);
      assert.deepEqual([problem.message, problem.advice, problem.retry], [message, advice, retry]);
    }
  });

  test('of any other kind is a bug', () => {
    for (const error of [withCode('EUNKNOWN'), new TypeError('x'), 'text']) {
      assert.equal(toProblem(error, url), error);
    }
  });
});
