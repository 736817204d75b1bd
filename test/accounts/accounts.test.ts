import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { createNamedSecrets } from '../../src/accounts/named-secrets.ts';
import type { Db } from '../../src/base/db/db.ts';
import { openStore } from '../../src/base/db/open.ts';
import { Failure } from '../../src/base/errors.ts';
import { engines } from '../harness/databases.ts';
import { describeOn } from '../harness/describe-on.ts';
import { grantPlan } from '../harness/payment-events.ts';
import type { TestService } from '../harness/service.ts';
import { useService } from '../harness/shared-service.ts';

/** A person who has not signed in yet. */
const newIdentity = () => ({
  issuer: 'https://login.test',
  subject: `anna-${randomUUID()}`,
  email: 'anna@example.com',
  name: 'Anna',
});

async function count(db: Db, table: string): Promise<number> {
  return (await db.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))?.n ?? -1;
}

/** A second set of services on the same database, like another process. */
function openElsewhere({ database, clock }: TestService, elapsed = () => performance.now()) {
  const db = openStore('accounts', database);
  return {
    db,
    accounts: createAccounts(db, clock),
    apiKeys: createNamedSecrets(db, clock, 'api_key', { mode: 'live', readLastUsed: async () => new Map(), elapsed }),
  };
}

describeOn(engines, 'users, accounts and API keys', (engine) => {
  const service = useService(engine);

  test('the first sign-in creates a user and an account on the free plan, later ones find them', async () => {
    const identity = newIdentity();
    const first = await service.services.accounts.signIn(identity);
    assert.deepEqual([first.user.email, first.user.name, first.account.plan.id], ['anna@example.com', 'Anna', 'free']);
    assert.deepEqual([first.account.periodAnchor, first.account.periodEnd], [null, null]);
    assert.deepEqual(await service.services.accounts.signIn(identity), first);
    const other = await service.services.accounts.signIn({ ...identity, subject: identity.subject.toUpperCase() });
    assert.notEqual(other.account.accountId, first.account.accountId, 'a subject is case-sensitive');
  });

  test('the same subject of another issuer is a different user, even with the same e-mail address', async () => {
    const identity = newIdentity();
    const { signIn } = service.services.accounts;
    const one = await signIn(identity);
    const two = await signIn({ ...identity, issuer: 'https://evil.test' });
    assert.notEqual(one.account.accountId, two.account.accountId);
  });

  test('concurrent first sign-ins in two processes create exactly one user and one account', async () => {
    const identity = newIdentity();
    const elsewhere = openElsewhere(service);
    const countAll = async () => [await count(elsewhere.db, 'users'), await count(elsewhere.db, 'accounts')];
    const [users = 0, accounts = 0] = await countAll();
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 === 0 ? service.services.accounts : elsewhere.accounts).signIn(identity),
      ),
    );
    assert.equal(new Set(all.map(({ user }) => user.id)).size, 1);
    assert.equal(new Set(all.map(({ account }) => account.accountId)).size, 1);
    assert.deepEqual(await countAll(), [users + 1, accounts + 1], 'an account without a user was left over');
    await elsewhere.db.close();
  });

  test('a changed e-mail address or name is stored; a token without these claims changes nothing', async () => {
    const identity = newIdentity();
    const { signIn } = service.services.accounts;
    await signIn(identity);
    await signIn({ ...identity, email: 'anna@new.example' });
    const { user } = await signIn({ ...identity, email: null, name: null });
    assert.deepEqual([user.email, user.name], ['anna@new.example', 'Anna']);
  });

  test('when an issuer moves, its users move with it, except those who exist there already', async () => {
    const identity = newIdentity();
    const { signIn, moveIssuer } = service.services.accounts;
    const [old, there] = ['http://127.0.0.1:1/idp', 'http://127.0.0.1:2/idp'];
    const anna = await signIn({ ...identity, issuer: old });
    const bert = await signIn({ ...identity, subject: 'bert', issuer: there });
    await signIn({ ...identity, subject: 'bert', issuer: old });
    await moveIssuer(old, there);
    assert.equal((await signIn({ ...identity, issuer: there })).user.id, anna.user.id);
    assert.equal((await signIn({ ...identity, subject: 'bert', issuer: there })).user.id, bert.user.id);
  });

  test('of 50 concurrent creations in two processes, as many succeed as the plan has', async () => {
    const elsewhere = openElsewhere(service);
    const { account } = await service.signIn({ plan: 'pro' });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? service.services.apiKeys : elsewhere.apiKeys).create(account.accountId, `key ${index}`),
      ),
    );
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    assert.equal(results.length - reasons.length, 5, String(reasons[0]));
    for (const reason of reasons) assert.ok(reason instanceof Failure && reason.code === 'api_key_limit_reached');
    assert.equal((await service.services.apiKeys.list(account.accountId)).length, 5);
    await elsewhere.db.close();
  });

  test('after a downgrade keys keep working; new ones need fewer keys than the limit', async () => {
    const { apiKeys } = service.services;
    const { account } = await service.signIn({ plan: 'pro' });
    const keys = [await apiKeys.create(account.accountId, 'a'), await apiKeys.create(account.accountId, 'b')];
    await grantPlan(service.services, account.accountId, 'free');
    for (const { secret } of keys) assert.equal((await apiKeys.findKey(secret))?.plan.id, 'free');
    const isLimit = (error: unknown) => error instanceof Failure && error.code === 'api_key_limit_reached';
    await assert.rejects(apiKeys.create(account.accountId, 'c'), isLimit);
    await apiKeys.revoke(account.accountId, keys[0]?.id ?? '');
    await assert.rejects(apiKeys.create(account.accountId, 'c'), isLimit);
    await apiKeys.revoke(account.accountId, keys[1]?.id ?? '');
    assert.ok(await apiKeys.create(account.accountId, 'c'));
  });

  test('findKey returns account, plan and period of a key', async () => {
    const { apiKeys } = service.services;
    const { account } = await service.signIn({ plan: 'pro' });
    await grantPlan(service.services, account.accountId, 'pro', {
      period: { start: '2026-01-31', end: '2026-02-28' },
    });
    const { id, secret } = await apiKeys.create(account.accountId, 'a');
    const caller = await apiKeys.findKey(secret);
    assert.deepEqual(
      { ...caller, plan: caller?.plan.id },
      {
        keyId: id,
        kind: 'api_key',
        canManage: false,
        accountId: account.accountId,
        plan: 'pro',
        periodAnchor: Date.parse('2026-01-31'),
        periodEnd: Date.parse('2026-02-28'),
      },
    );
  });

  test('a revoked key is rejected immediately in this process, and within one second in others', async () => {
    let now = 0;
    const elsewhere = openElsewhere(service, () => now);
    const { account } = await service.signIn();
    const { id, secret } = await service.services.apiKeys.create(account.accountId, 'a');
    assert.ok(await service.services.apiKeys.findKey(secret));
    assert.ok(await elsewhere.apiKeys.findKey(secret));
    await service.services.apiKeys.revoke(account.accountId, id);
    assert.equal(await service.services.apiKeys.findKey(secret), undefined);
    now = 999;
    assert.equal(await elsewhere.apiKeys.findKey(secret), undefined, 'still accepted after a second');
    await elsewhere.db.close();
  });
});
