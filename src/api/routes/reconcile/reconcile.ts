import { RECONCILE_PATH } from '../../../base/requests/reconcile-path.ts';
import type { Routes } from '../../../http/app.ts';
import { FORM_BODIES, JSON_BODIES } from '../../../http/bodies.ts';
import type { AppServices } from '../../app-services.ts';
import { type Charging, guardBody } from '../../serving/charge.ts';
import { countryOf, createEndpoints, type Handler } from './endpoints.ts';

/** 50 queries of 5,000 bytes each. A form takes up to 12 bytes per letter. */
const MAX_BODY_BYTES = 256 * 1024;

/**
 * The Reconciliation Service API, for all countries or one, with an API key or a reconcile link. Every company that is shown costs a
 * unit: a query, a row that is extended, a list of suggestions, a preview. What describes the service is free and open to all.
 */
export function registerReconcile(app: Routes, services: AppServices, charging: Charging): void {
  const guard = guardBody(charging);

  function add(method: 'GET' | 'POST', url: string, handler: Handler): void {
    app.route({
      method,
      url,
      withoutHead: true,
      operation: {
        ...({ operationId: 'reconcile', tag: 'Registry', summary: 'Reconciliation' } as const),
        ...({ authentication: 'apiKey', isOpenToPages: true, isOutsideContract: true, ignoresQuery: true } as const),
      },
      bodies: { ...JSON_BODIES, ...FORM_BODIES },
      bodyLimit: MAX_BODY_BYTES,
      ...(method === 'POST' && guard),
      handler(request, reply) {
        countryOf(request);
        return handler(request, reply);
      },
    });
  }

  for (const kind of ['key', 'link'] as const) {
    const endpoints = createEndpoints(kind, services, charging);
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
}
