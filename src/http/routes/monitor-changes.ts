import type { Static } from 'typebox';
import { isGone } from '../../core/requests/gone.ts';
import type { MonitorChanges, MonitorPage } from '../../monitors/events.ts';
import type { QuotedOperation } from '../../operations/operation.ts';
import type { Routes } from '../../transport/app.ts';
import type { HttpReply } from '../../transport/reply.ts';
import { type AccountAccess, describeAccountRoute } from '../account-access.ts';
import { json } from '../answers.ts';
import { type Charging, charge, readParameters } from '../charged/route.ts';
import { ChangePage, DEFAULT_LIMIT } from '../schemas/changes.ts';
import { MonitorChangeParameters, MonitorParameters } from '../schemas/monitors.ts';
import { followClose } from './changes.ts';

export interface MonitorChangeServices {
  readonly monitorChanges: Pick<MonitorChanges, 'readPage' | 'waitForPage'>;
}

type Given = Static<typeof MonitorParameters> & Static<typeof MonitorChangeParameters>;

/** The changes that a monitor reports. Each costs one unit, so a page is never longer than the rest of the quota. */
export function registerMonitorChanges(
  app: Routes,
  { monitorChanges }: MonitorChangeServices,
  charging: Charging,
  { startExchange }: AccountAccess,
): void {
  const operation: Omit<QuotedOperation<HttpReply, Given, MonitorPage>, 'needs'> = {
    price: 'quoted',
    read: ({ request }) => readParameters<Given>(request),
    waitMs: ({ wait = 0 }) => wait * 1_000,
    async quote({ id, cursor, limit = DEFAULT_LIMIT, wait = 0 }, { caller, limits, input }, sell) {
      const affordable = Math.max(1, Math.min(limit, limits.quota.remaining));
      const asked = { accountId: caller.accountId, id: id.toLowerCase(), cursor, limit: affordable };
      const deadline = performance.now() + wait * 1_000;
      const waiting = { accountId: caller.accountId, deadline, gone: followClose(input.raw) };
      const page = wait === 0 ? await monitorChanges.readPage(asked) : await monitorChanges.waitForPage(asked, waiting);
      // HEAD delivers no change.
      await sell(input.request.method === 'HEAD' ? 0 : page.data.length, page);
    },
  };

  app.get(
    '/api/v1/monitors/:id/changes',
    (request, reply) => {
      const exchange = startExchange(request, reply, reply);
      const needs = { credential: exchange.credential.kind, plan: 'any' } as const;
      charge(charging, { ...operation, needs }, exchange, (page) => {
        const isLost = isGone(reply.raw);
        reply.mustRevalidate().send(page).finish();
        return isLost ? Promise.resolve(0) : undefined;
      });
    },
    describeAccountRoute(
      {
        operationId: 'listMonitorChanges',
        tag: 'Monitors',
        summary: 'List changes of a monitor',
        description:
          'Returns the changes that the monitor reports, in order, with the cursors of the [change feed](/docs/sync): every cursor ' +
          'continues without gap or repetition. Each change costs one request of the quota, and a page has at most as many as ' +
          'are left. A page without changes costs nothing.',
      },
      { 200: json('One page of changes.', ChangePage) },
      ['monthly_quota_exceeded', 'insufficient_quota', 'monitor_not_found', 'cursor_expired'],
      { params: MonitorParameters, querystring: MonitorChangeParameters },
    ),
  );
}
