import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { askIfChanged, findRangeValidator, findValidators } from '../../src/import/fetch/download.ts';
import { SourceProblem, toProblem } from '../../src/import/fetch/problem.ts';
import { refuseResponse } from '../../src/import/fetch/requests.ts';
import { testClock } from '../harness/clock.ts';

const url = new URL('https://publisher.example/register.csv?token=secret');

describe('a response without the file', () => {
  // Its time is 12:00:00.
  const clock = testClock('2026-03-15T12:00:00.000Z');
  const refuse = (status: number, headers: Record<string, string> = {}) =>
    refuseResponse({ status, headers, body: Readable.from([]) }, url, clock);

  test('says with Retry-After when to try again: in seconds, or at a time', () => {
    for (const [header, waitMs] of [
      ['0', 0],
      ['90', 90_000],
      ['Sun, 15 Mar 2026 12:01:30 GMT', 90_000],
      ['Sunday, 15-Mar-26 12:01:30 GMT', 90_000],
      ['Sun, 15 Mar 2026 11:00:00 GMT', 0],
      ['Mon, 16 Mar 2026 12:00:00 GMT', 86_400_000],
      ['soon', undefined],
      ['', undefined],
    ] as const) {
      for (const status of [429, 503]) assert.equal(refuse(status, { 'retry-after': header }).waitMs, waitMs, header);
    }
    assert.equal(refuse(503).waitMs, undefined);
  });

  test('is tried again only if it may change', () => {
    for (const [status, retry, advice, words] of [
      [404, false, 'moved', 'answered 404 (not found)'],
      [410, false, 'moved', 'answered 410 (not found)'],
      [401, false, 'look', 'answered 401 (access denied)'],
      [403, false, 'look', 'answered 403 (access denied)'],
      [451, false, 'look', 'answered 451 (access denied)'],
      [407, false, 'proxy', 'the proxy requires a password'],
      [304, false, 'later', 'answered 304 (not modified), although the whole file was requested'],
      [400, false, 'later', 'answered 400'],
      [418, false, 'later', 'answered 418'],
      [408, true, 'later', 'answered 408'],
      [425, true, 'later', 'answered 425'],
      [429, true, 'later', 'answered 429 (too many requests)'],
      [499, false, 'later', 'answered 499'],
      [500, true, 'later', 'answered 500 (an error of the publisher)'],
      [503, true, 'later', 'answered 503 (an error of the publisher)'],
    ] as const) {
      const problem = refuse(status);
      assert.deepEqual([problem.retry, problem.advice], [retry, advice], `${status}`);
      const where = status === 407 ? '' : 'https://publisher.example/register.csv ';
      assert.equal(problem.message, `${where}${words}`);
    }
  });
});

describe('the version of a file', () => {
  test('is its ETag, or else the date of its last change', () => {
    const lastModified = 'Sun, 15 Mar 2026 12:00:00 GMT';
    for (const [headers, question, range] of [
      [{ etag: '"a"', 'last-modified': lastModified }, { 'if-none-match': '"a"' }, '"a"'],
      // A weak ETag does not promise equal bytes.
      [{ etag: 'W/"a"', 'last-modified': lastModified }, { 'if-none-match': 'W/"a"' }, null],
      [{ 'last-modified': lastModified }, { 'if-modified-since': lastModified }, lastModified],
      [{}, {}, null],
    ] as const) {
      const validators = findValidators(headers);
      assert.deepEqual(askIfChanged(validators), question);
      assert.equal(findRangeValidator(validators), range);
    }
  });
});

const withPort = new URL('https://publisher.example:8443/register.csv');
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
      [withCode('ENOTFOUND'), `${host} is a host name that could not be resolved`, 'network', true],
      [withCode('EAI_AGAIN'), `${host} is a host name that could not be resolved`, 'network', true],
      [
        withCode('CERT_HAS_EXPIRED'),
        `${host} has a certificate that cannot be verified (CERT_HAS_EXPIRED)`,
        'certificate',
        false,
      ],
      [withCode('UND_ERR_PRX_TLS'), `${host} cannot be reached through the proxy`, 'proxy', true],
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
      const problem = toProblem(error, withPort);
      assert.ok(problem instanceof SourceProblem, message);
      assert.deepEqual([problem.message, problem.advice, problem.retry], [message, advice, retry]);
    }
  });

  test('of any other kind is a bug', () => {
    for (const error of [withCode('EUNKNOWN'), new TypeError('x'), 'text']) {
      assert.equal(toProblem(error, withPort), error);
    }
  });
});
