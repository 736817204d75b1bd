import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { isGone } from '../../core/requests/gone.ts';
import type { MonitorChanges, MonitorPage } from '../../monitors/events.ts';
import type { QuotedOperation, Reply } from '../../operations/operation.ts';
import { type AccountAccess, accountCodes } from '../account-access.ts';
import { answers, json, meteredAnswers } from '../answers.ts';
import type { App } from '../app-type.ts';
import { CACHE_CONTROL } from '../charged/reply.ts';
import { type DataGate, readParameters, takeAnswer } from '../charged/route.ts';
import { ChangePage, DEFAULT_LIMIT } from '../schemas/changes.ts';
import { MonitorChangeParameters, MonitorParameters } from '../schemas/monitors.ts';
import { followClose } from './changes.ts';

export interface MonitorChangeServices {
  readonly monitorChanges: Pick<MonitorChanges, 'readPage' | 'waitForPage'>;
}

type Given = Static<typeof MonitorParameters> & Static<typeof MonitorChangeParameters>;
interface Asked {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The changes that a monitor reports. Each costs one unit, so a page is never longer than the rest of the quota. */
export function registerMonitorChanges(
  scope: App,
  { monitorChanges }: MonitorChangeServices,
  { executor, now }: DataGate,
  { hooks, startExchange }: AccountAccess,
): void {
  const operation: Omit<QuotedOperation<Asked, Given, MonitorPage>, 'needs'> = {
    price: 'quoted',
    read: ({ request }) => readParameters<Given>(request),
    waitMs: ({ wait = 0 }) => wait * 1_000,
    async quote({ id, cursor, limit = DEFAULT_LIMIT, wait = 0 }, { caller, limits, input }, sell) {
      const affordable = Math.max(1, Math.min(limit, limits.quota.remaining));
      const asked = { accountId: caller.accountId, id: id.toLowerCase(), cursor, limit: affordable };
      const deadline = performance.now() + wait * 1_000;
      const waiting = { accountId: caller.accountId, deadline, gone: followClose(input.reply.raw) };
      const page = wait === 0 ? await monitorChanges.readPage(asked) : await monitorChanges.waitForPage(asked, waiting);
      // HEAD delivers no change.
      await sell(input.request.method === 'HEAD' ? 0 : page.data.length, page);
    },
  };

  async function handler(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const exchange = startExchange(request, reply, { request, reply });
    const needs = { credential: exchange.credential.kind, plan: 'any' } as const;
    const result = await new Promise<Reply<MonitorPage>>((resolve) => {
      executor.execute({ ...operation, needs }, exchange, (answered) => {
        resolve(answered);
        return isGone(reply.raw) ? Promise.resolve(0) : undefined;
      });
    });
    const { answer } = takeAnswer(reply, result, now());
    return reply.header('cache-control', CACHE_CONTROL).send(answer);
  }

  scope.get(
    '/api/v1/monitors/:id/changes',
    {
      config: {
        operation: {
          operationId: 'listMonitorChanges',
          tag: 'Monitors',
          summary: 'List changes of a monitor',
          description:
            'Returns the changes that the monitor reports, in order, with the cursors of the [change feed](/docs/sync): every cursor ' +
            'continues without gap or repetition. Each change costs one request of the quota, and a page has at most as many as ' +
            'are left. A page without changes costs nothing.',
          authentication: 'account',
        },
      },
      attachValidation: true,
      serializerCompiler: () => JSON.stringify,
      ...hooks,
      schema: {
        params: MonitorParameters,
        querystring: MonitorChangeParameters,
        response: meteredAnswers(
          answers(
            { 200: json('One page of changes.', ChangePage) },
            ...accountCodes,
            'monthly_quota_exceeded',
            'insufficient_quota',
            'monitor_not_found',
            'cursor_expired',
          ),
          false,
        ),
      },
    },
    handler,
  );
}
