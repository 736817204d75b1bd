import { answers, json } from '../answers.ts';
import type { App } from '../app-type.ts';
import { Live, NotReady, Ready } from '../schemas.ts';

export interface HealthServices {
  readonly version: string;
  /** Whether both databases answer, their schema is current, and search is ready. */
  readonly isReady: () => Promise<boolean>;
}

export function registerHealth(app: App, { version, isReady }: HealthServices): void {
  app.get(
    '/api/v1/health/live',
    {
      config: {
        operation: {
          operationId: 'getLiveness',
          tag: 'Health',
          summary: 'Is the process running?',
          description: 'Answers as soon as the process accepts HTTP requests, whatever the state of the database.',
          authentication: 'none',
          ignoresQuery: true,
          needsNoData: true,
        },
      },
      schema: { response: answers({ 200: json('The process runs.', Live) }) },
    },
    async () => ({ status: 'ok', service: 'web', version }) as const,
  );

  app.get(
    '/api/v1/health/ready',
    {
      config: {
        operation: {
          operationId: 'getReadiness',
          tag: 'Health',
          summary: 'Is the service ready for traffic?',
          description: 'Asks the databases, and whether their schema is the one this version expects.',
          authentication: 'none',
          ignoresQuery: true,
          needsNoData: true,
        },
      },
      schema: {
        response: answers({
          200: json('Ready for traffic.', Ready),
          503: json('Not ready: send no traffic yet.', NotReady),
        }),
      },
    },
    async (_request, reply) =>
      (await isReady())
        ? ({ status: 'ready', database: 'ok', version } as const)
        : reply.code(503).send({ status: 'unavailable', database: 'error', version }),
  );
}
