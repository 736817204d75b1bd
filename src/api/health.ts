import Type from 'typebox';
import { component } from './fields.ts';
import { json } from './serving/answers.ts';
import { publicOperation } from './serving/operation.ts';

const version = Type.String({ examples: ['0.1.0'] });

const Live = component('Live', 'The process is running and accepts requests.', {
  status: Type.Literal('ok'),
  service: Type.Literal('web'),
  version,
});

const Ready = component('Ready', 'The service is ready for traffic.', {
  status: Type.Literal('ready'),
  database: Type.Literal('ok'),
  version,
});

const NotReady = component(
  'NotReady',
  'A database cannot be used, migrations have not completed, or search is starting.',
  { status: Type.Literal('unavailable'), database: Type.Literal('error'), version },
);

/** Probes are answered even before the databases are migrated. Load balancers may add parameters. */
const probe = { tag: 'Health', ignoresQuery: true, needsNoData: true } as const;

export const health = [
  publicOperation({
    ...probe,
    url: '/api/v1/health/live',
    operationId: 'getLiveness',
    summary: 'Liveness probe',
    description: 'Succeeds as soon as the process accepts requests. It does not check the databases.',
    replies: { 200: json('The process is running.', Live) },
    answer:
      ({ version }) =>
      () => ({ status: 'ok', service: 'web', version }),
  }),
  publicOperation({
    ...probe,
    url: '/api/v1/health/ready',
    operationId: 'getReadiness',
    summary: 'Readiness probe',
    description:
      'Succeeds when a data request would be answered: both databases can be read, requests can be counted, the schema is the ' +
      'one this version expects, and search is ready. A failure or recovery is visible within a second.',
    replies: { 200: json('Ready for traffic.', Ready), 503: json('Not ready for traffic.', NotReady) },
    answer:
      ({ isReady, version }) =>
      async (_request, reply) =>
        (await isReady())
          ? { status: 'ready', database: 'ok', version }
          : reply.code(503).send({ status: 'unavailable', database: 'error', version }),
  }),
];
