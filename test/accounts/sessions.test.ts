import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { Failure } from '../../src/base/errors.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { useService } from '../harness/shared-service.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;
const identity = { issuer: 'https://login.test', subject: 'anna', email: 'anna@example.com', name: 'Anna' };
const isInvalid = (error: unknown) => error instanceof Failure && error.code === 'invalid_session';

describeOn(engines, 'session cookies', (engine) => {
  const service = useService(engine);
  beforeEach(() => service.services.accountsDb.run('DELETE FROM sessions'));

  test('authenticate their user; only a hash is stored', async () => {
    const { sessions, accountsDb } = service.services;
    const { token, user } = await sessions.start(identity);
    assert.equal((await sessions.authenticateCookie(token)).user.id, user.id);
    const rows = await accountsDb.all('SELECT * FROM sessions');
    assert.equal(rows.length, 1);
    assert.ok(!JSON.stringify(rows).includes(token));
    await assert.rejects(sessions.authenticateCookie(String(rows[0]?.token_hash)), isInvalid, 'the hash opens nothing');
    await assert.rejects(sessions.authenticateCookie(`${token}x`), isInvalid);
    await assert.rejects(sessions.authenticateCookie('\0'), isInvalid);
  });

  test('expire after 30 days, even if they are used', async () => {
    const { sessions } = service.services;
    const { token, maxAgeSeconds } = await sessions.start(identity);
    assert.equal(maxAgeSeconds, 30 * 86_400);
    for (let day = 0; day < 29; day++) {
      service.clock.advance(DAY);
      await sessions.authenticateCookie(token);
    }
    service.clock.advance(DAY - 1);
    await sessions.authenticateCookie(token);
    service.clock.advance(1);
    await assert.rejects(sessions.authenticateCookie(token), isInvalid);
  });

  test('expire after 7 days without a request', async () => {
    const { sessions } = service.services;
    const { token } = await sessions.start(identity);
    service.clock.advance(7 * DAY - 1);
    await sessions.authenticateCookie(token);
    service.clock.advance(7 * DAY - 1);
    await sessions.authenticateCookie(token);
    service.clock.advance(7 * DAY);
    await assert.rejects(sessions.authenticateCookie(token), isInvalid);
  });

  test('end with sign-out in this browser only; expired ones are deleted', async () => {
    const { sessions, accountsDb } = service.services;
    const [here, there] = [await sessions.start(identity), await sessions.start(identity)];
    await sessions.end(here.token);
    await assert.rejects(sessions.authenticateCookie(here.token), isInvalid);
    await sessions.authenticateCookie(there.token);
    service.clock.advance(8 * DAY);
    await sessions.start(identity);
    assert.equal((await accountsDb.all('SELECT 1 AS one FROM sessions')).length, 1);
  });

  test('a user has at most 20: at sign-in, the ones used least recently end', async () => {
    const { sessions, accountsDb } = service.services;
    const tokens: string[] = [];
    for (let count = 0; count < 20; count++) {
      tokens.push((await sessions.start(identity)).token);
      service.clock.advance(6 * MINUTE);
    }
    const [first = '', second = ''] = tokens;
    const other = await sessions.start({ ...identity, subject: 'boris' });
    await sessions.authenticateCookie(first);
    const { token } = await sessions.start(identity);
    await assert.rejects(sessions.authenticateCookie(second), isInvalid);
    for (const kept of [first, ...tokens.slice(2), token, other.token]) await sessions.authenticateCookie(kept);
    assert.equal((await accountsDb.all('SELECT 1 AS one FROM sessions')).length, 21);
  });

  test('sign-ins of one user at the same time all succeed, and 20 sessions are left', async () => {
    const { sessions, accountsDb } = service.services;
    for (let count = 0; count < 18; count++) await sessions.start(identity);
    await Promise.all(Array.from({ length: 6 }, () => sessions.start(identity)));
    assert.equal((await accountsDb.all('SELECT 1 AS one FROM sessions')).length, 20);
  });

  test('a sign-in deletes a bounded number of old ones', async () => {
    const { sessions, accountsDb, clock } = service.services;
    const { user } = await sessions.start(identity);
    const old = clock.now() - 40 * DAY;
    const rows = Array.from({ length: 500 }, (_, index) => [`old ${index}`, user.id, old, old, old + 30 * DAY]);
    await accountsDb.bulkLoad('sessions', ['token_hash', 'user_id', 'created_at', 'last_seen_at', 'expires_at'], rows);
    const countOld = async () =>
      (await accountsDb.all('SELECT 1 AS one FROM sessions WHERE created_at = $1', [old])).length;
    const left: number[] = [];
    for (let count = 0; count < 3; count++) {
      await sessions.start({ ...identity, subject: `user ${count}` });
      left.push(await countOld());
    }
    assert.deepEqual(left, [300, 100, 0]);
  });
});
