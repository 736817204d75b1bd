import { randomUUID } from 'node:crypto';
import type { Db, Row } from '../../src/base/db/db.ts';
import type { TestSession } from '../harness/service.ts';
import type { Shop } from './shop.ts';

/** An account with a key, a revoked key, a reconcile link, a monitor, a webhook endpoint, usage and a subscription, and everything that identifies it. */
export interface Victim {
  readonly session: TestSession;
  /** Ids of its objects, in our database and at the payment provider, that another account may have learned. */
  readonly objects: Readonly<
    Record<
      'key' | 'revokedKey' | 'link' | 'monitor' | 'endpoint' | 'account' | 'user' | 'subscription' | 'customer',
      string
    >
  >;
  /** Texts that only the victim may see: its ids, e-mail address, and names and prefixes of its keys and links. */
  readonly marks: readonly string[];
}

export async function createVictim({ service, sandbox, buy }: Shop): Promise<Victim> {
  const session = await service.signIn({ plan: 'free', name: `Victim ${randomUUID()}` });
  await buy(session, 'business');
  const { accountId } = session.account;
  const { apiKeys, reconcileLinks } = service.services;
  const active = await apiKeys.create(accountId, `active ${randomUUID()}`);
  const revoked = await apiKeys.create(accountId, `revoked ${randomUUID()}`);
  await apiKeys.revoke(accountId, revoked.id);
  const link = await reconcileLinks.create(accountId, `link ${randomUUID()}`);
  const name = `monitor ${randomUUID()}`;
  const monitor = await service.services.monitors.create(session.account, { name, watch: [] });
  const endpoint = await service.services.webhooks.create(session.account, { url: `https://${randomUUID()}.example/` });
  await service.client.get('/api/v1/countries', { headers: { 'x-api-key': active.secret } });
  const { data } = await sandbox.stripe.subscriptions.list({ limit: 100 });
  const subscription = data.find(({ metadata }) => metadata.accountId === accountId);
  if (subscription === undefined) throw new Error('the victim has no subscription');
  const objects = {
    key: active.id,
    revokedKey: revoked.id,
    link: link.id,
    monitor: monitor.id,
    endpoint: endpoint.id,
    account: accountId,
    user: session.user.id,
    subscription: subscription.id,
    customer: String(subscription.customer),
  };
  const named = [active, revoked, link].flatMap(({ name, prefix }) => [name, prefix]);
  return {
    session,
    objects,
    marks: [...Object.values(objects), ...named, name, endpoint.url, session.user.email ?? '', session.user.name ?? ''],
  };
}

/** Every row of the accounts database, as text, without what changes with time: leases, and when sessions were last used. */
export async function dumpAccounts(db: Db): Promise<string[]> {
  const rows: string[] = [];
  for (const table of await listTables(db)) {
    if (table === 'leases') continue;
    const stored = await db.all<Row>(`SELECT * FROM ${table}`);
    rows.push(...stored.map(({ last_seen_at: _, ...row }) => `${table} ${JSON.stringify(row)}`));
  }
  return rows.sort();
}

/** The names of all columns. */
export async function listColumns(db: Db): Promise<string[]> {
  const sql =
    db.engine === 'sqlite'
      ? "SELECT DISTINCT c.name AS name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
      : 'SELECT DISTINCT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema()';
  return (await db.all<{ name: string }>(sql)).map(({ name }) => name);
}

async function listTables(db: Db): Promise<string[]> {
  const sql =
    db.engine === 'sqlite'
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()';
  return (await db.all<{ name: string }>(sql)).map(({ name }) => name);
}
