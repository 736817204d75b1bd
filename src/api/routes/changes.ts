import type { ServerResponse } from 'node:http';
import { fail } from '../../base/errors.ts';
import type { Routes } from '../../http/app.ts';
import type { AppServices } from '../app-services.ts';
import { type Charging, registerDataRoute } from '../charged/route.ts';
import {
  ChangePage,
  ChangeParameters,
  DEFAULT_LIMIT,
  EntityChangePage,
  EntityChangeParameters,
} from '../schemas/changes.ts';
import { EntityParameters } from './entities.ts';

/**
 * What imports have changed. A page without changes is free, so that clients can ask as often as their rate limit allows. Neither
 * operation has a `version`: reading it takes as long as an empty page, and a 304 must not come before the wait is over.
 */
export function registerChanges(app: Routes, { changes }: AppServices, charging: Charging): void {
  registerDataRoute(app, charging, {
    url: '/api/v1/changes',
    operation: {
      operationId: 'listChanges',
      summary: 'List changes',
      description:
        'Returns what imports have changed, in order. Every cursor continues without gap or repetition. A page may have fewer ' +
        'changes than `limit` although `hasMore` is true. A page without changes costs no quota. See [staying in ' +
        'sync](/docs/sync).',
    },
    querystring: ChangeParameters,
    success: { description: 'One page of changes.', schema: ChangePage },
    codes: ['cursor_expired'],
    waitMs: ({ wait = 0 }) => wait * 1_000,
    async answer(parameters, { caller: { accountId }, response }) {
      const { cursor, country, register = null, type = null, limit = DEFAULT_LIMIT, wait = 0 } = parameters;
      const request = { cursor, filter: { country: country?.toUpperCase() ?? null, register, type }, limit };
      const page =
        wait === 0
          ? await changes.readPage(request)
          : await changes.waitForPage(request, {
              accountId,
              deadline: performance.now() + wait * 1_000,
              gone: followClose(response),
            });
      const { data, meta, version } = page;
      return { version, body: JSON.stringify({ data, meta }), isFree: data.length === 0 };
    },
  });

  registerDataRoute(app, charging, {
    url: '/api/v1/entities/:id/changes',
    operation: {
      operationId: 'listEntityChanges',
      summary: 'List changes of a company',
      description:
        'Returns what imports have changed about one company, the newest first, as far back as changes are kept. A page without ' +
        'changes costs no quota.',
    },
    params: EntityParameters,
    querystring: EntityChangeParameters,
    success: { description: 'One page of changes.', schema: EntityChangePage },
    codes: ['entity_not_found', 'cursor_expired'],
    async answer({ id, cursor, limit = DEFAULT_LIMIT }) {
      const page = await changes.readHistory(id.toLowerCase(), { cursor, limit });
      if (page === undefined) throw fail('entity_not_found');
      const { meta, version } = page;
      const data = page.data.map(({ change }) => change);
      return { version, body: JSON.stringify({ data, meta }), isFree: data.length === 0 };
    },
  });
}

/** Aborted when the response is closed, which before it was sent means that the client has gone. */
export function followClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}
