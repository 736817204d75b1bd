import Type from 'typebox';
import { plans as listed } from '../base/plans.ts';
import { keepCompressed } from '../base/system/compression.ts';
import { JSON_TYPE } from '../http/reply.ts';
import { component, count, orNull, replyOf } from './fields.ts';
import { json } from './serving/answers.ts';
import { publicOperation } from './serving/operation.ts';

/** Operations without a credential: plans, the contract and probes. */

export const ApiPlan = component('ApiPlan', 'A plan and its limits.', {
  id: Type.Enum(['free', 'pro', 'business']),
  name: Type.String({ examples: ['Free'] }),
  monthlyPriceEur: Type.Number({ minimum: 0, description: 'Price per month in euros.', examples: [0] }),
  monthlyRequests: count('Data requests included per billing period.', 1_000),
  requestsPerMinute: count('Data requests allowed per minute and API key.', 60),
  maxApiKeys: count('Maximum number of active API keys.', 1),
  maxMonitors: orNull.count('Maximum number of monitors.', 2),
  maxWatchedCompanies: orNull.count('Maximum number of companies in all monitors together.', 100),
});

const PlanList = replyOf('PlanList', Type.Array(ApiPlan));

export const plans = publicOperation({
  url: '/api/v1/plans',
  operationId: 'listPlans',
  tag: 'Public',
  summary: 'List plans',
  description:
    'Returns the price and limits of every plan. When a quota is used up, requests are rejected. There are no overage fees.',
  needsNoData: true,
  replies: { 200: json('All plans, cheapest first.', PlanList) },
  answer: () => () => ({ data: [...listed] }),
});

const OpenApiDocument = Type.Object({}, { $id: 'OpenApiDocument', additionalProperties: true });

export const openApi = publicOperation({
  url: '/api/v1/openapi.json',
  operationId: 'getContract',
  tag: 'Public',
  summary: 'Retrieve this contract',
  description: 'Returns the contract of this version as an OpenAPI 3.1 document.',
  needsNoData: true,
  replies: { 200: json('The OpenAPI document.', OpenApiDocument) },
  answer({ contract }) {
    let text: Buffer | undefined;
    return (_request, reply) => {
      text ??= keepCompressed(Buffer.from(contract()));
      return reply.type(JSON_TYPE).header('Cache-Control', 'public, max-age=300').send(text);
    };
  },
});

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
