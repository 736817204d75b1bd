import type { Routes } from '../../http/app.ts';
import { answers, json } from '../answers.ts';
import type { AppServices } from '../app-services.ts';
import { Live, NotReady, Ready } from '../schemas/schemas.ts';

export function registerHealth(app: Routes, { version, isReady }: AppServices): void {
  app.route({
    method: 'GET',
    url: '/api/v1/health/live',
    operation: {
      operationId: 'getLiveness',
      tag: 'Health',
      summary: 'Liveness probe',
      description: 'Succeeds as soon as the process accepts requests. It does not check the databases.',
      authentication: 'none',
      ignoresQuery: true,
      needsNoData: true,
    },
    schema: { response: answers({ 200: json('The process is running.', Live) }) },
    handler: async () => ({ status: 'ok', service: 'web', version }) as const,
  });

  app.route({
    method: 'GET',
    url: '/api/v1/health/ready',
    operation: {
      operationId: 'getReadiness',
      tag: 'Health',
      summary: 'Readiness probe',
      description:
        'Succeeds when a data request would be answered: both databases can be read, requests can be counted, the schema is the ' +
        'one this version expects, and search is ready. A failure or recovery is visible within a second.',
      authentication: 'none',
      ignoresQuery: true,
      needsNoData: true,
    },
    schema: {
      response: answers({ 200: json('Ready for traffic.', Ready), 503: json('Not ready for traffic.', NotReady) }),
    },
    handler: async (_request, reply) =>
      (await isReady())
        ? ({ status: 'ready', database: 'ok', version } as const)
        : reply.code(503).send({ status: 'unavailable', database: 'error', version }),
  });
}
