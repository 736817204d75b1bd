import type { EntitySummary } from '../core/entity-summary.ts';
import type { AccountTerms } from '../core/usage.ts';
import type { MonitorChanges } from '../monitors/events.ts';
import type { MonitorChange } from '../monitors/monitor.ts';
import type { Monitors } from '../monitors/monitors.ts';
import type { Executor } from '../operations/execute.ts';
import type { PricedOperation } from '../operations/operation.ts';
import type { Registry } from '../registry/registry.ts';
import { startDeadline } from '../system/deadline.ts';

export interface MonitorReadServices {
  readonly monitors: Monitors;
  readonly monitorChanges: Pick<MonitorChanges, 'readLatest'>;
  readonly registry: Pick<Registry, 'findIds' | 'findExcerpt'>;
  readonly executor: Pick<Executor, 'perform'>;
}

const SHOWN = 25;

/** What pages and feeds show of a monitor. Each part costs one request of the account, and nothing if it is empty. */
export function createMonitorReads({ monitors, monitorChanges, registry, executor }: MonitorReadServices) {
  function charge<T>(account: AccountTerms, answer: () => Promise<T>, isFree: (answer: T) => boolean) {
    const needs = { credential: 'session', plan: 'any' } as const;
    const operation: PricedOperation<null, null, T> = { needs, price: 'unit', read: () => null, answer, isFree };
    const credential = { kind: 'session', account } as const;
    return executor.perform(operation, { input: null, credential, deadline: startDeadline(), caller: null });
  }

  function readLatest(account: AccountTerms, id: string) {
    const { accountId } = account;
    return charge<readonly MonitorChange[]>(
      account,
      () => monitorChanges.readLatest(accountId, id, SHOWN),
      ({ length }) => length === 0,
    );
  }

  async function readCompanies(account: AccountTerms, id: string, after: string | undefined) {
    const ids = await monitors.listEntities(account.accountId, id, after, SHOWN + 1);
    const shown = ids.slice(0, SHOWN);
    return charge(
      account,
      async () => {
        const found = await Promise.all(shown.map((each) => registry.findExcerpt(each)));
        const companies = found.flatMap((each) => (each ? [each.content.value as unknown as EntitySummary] : []));
        return { companies, next: ids.length > SHOWN ? shown.at(-1) : undefined };
      },
      ({ companies }) => companies.length === 0,
    );
  }

  return { readLatest, readCompanies };
}
