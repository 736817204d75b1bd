import { readFields } from '../../../core/requests/form-fields.ts';
import { RECONCILE_PATH } from '../../../core/requests/reconcile-path.ts';
import type { AppServices } from '../../app-services.ts';
import type { App } from '../../app-type.ts';
import { guardBodies } from '../../charged/bodies.ts';
import type { DataGate } from '../../charged/route.ts';
import { countryOf, createEndpoints, type Handler } from './endpoints.ts';

/** 50 queries of 5,000 bytes each. A form takes up to 12 bytes per letter. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * The Reconciliation Service API, for all countries or one, with an API key or a reconcile link. Every company that is shown costs a
 * unit: a query, a row that is extended, a list of suggestions, a preview. What describes the service is free and open to all.
 */
export function registerReconcile(app: App, services: AppServices, gate: DataGate): void {
  app.register(async (scope: App) => {
    const options = { parseAs: 'buffer' } as const;
    scope.addContentTypeParser('application/x-www-form-urlencoded', options, async (_: unknown, body: Buffer) =>
      readFields(body),
    );
    const guard = guardBodies(scope, gate);

    function add(method: 'GET' | 'POST', url: string, handler: Handler): void {
      const operation = { operationId: 'reconcile', tag: 'Registry', summary: 'Reconciliation' } as const;
      const rules = {
        authentication: 'apiKey',
        isOpenToPages: true,
        isOutsideContract: true,
        ignoresQuery: true,
      } as const;
      scope.route({
        method,
        url,
        handler,
        bodyLimit: MAX_BODY_BYTES,
        exposeHeadRoute: false,
        config: { operation: { ...operation, ...rules } },
        preHandler: [guard.preHandler, async (request) => void countryOf(request)],
        ...(method === 'POST' && { onRequest: guard.onRequest }),
      });
    }

    for (const kind of ['key', 'link'] as const) {
      const endpoints = createEndpoints(kind, services, gate);
      const root = kind === 'link' ? `${RECONCILE_PATH}/l/:link` : RECONCILE_PATH;
      for (const country of ['', '/:country']) {
        const base = root + country;
        add('GET', base, endpoints.get);
        add('POST', base, endpoints.post);
        add('GET', `${base}/propose`, endpoints.propose);
        add('GET', `${base}/preview`, endpoints.preview);
        add('GET', `${base}/suggest/entity`, endpoints.suggestEntity);
        add('GET', `${base}/suggest/property`, endpoints.suggestProperty);
        add('GET', `${base}/suggest/type`, endpoints.suggestType);
      }
    }
  });
}
