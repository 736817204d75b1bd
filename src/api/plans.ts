import Type from 'typebox';
import { plans as listed } from '../base/plans.ts';
import { component, count, nullable, replyOf } from './fields.ts';
import { json } from './serving/answers.ts';
import { publicOperation } from './serving/operation.ts';

export const ApiPlan = component('ApiPlan', 'A plan and its limits.', {
  id: Type.Enum(['free', 'pro', 'business']),
  name: Type.String({ examples: ['Free'] }),
  monthlyPriceEur: Type.Number({ minimum: 0, description: 'Price per month in euros.', examples: [0] }),
  monthlyRequests: count('Data requests included per billing period.', 1_000),
  requestsPerMinute: count('Data requests allowed per minute and API key.', 60),
  maxApiKeys: count('Maximum number of active API keys.', 1),
  maxMonitors: nullable(count('Maximum number of monitors.', 2)),
  maxWatchedCompanies: nullable(count('Maximum number of companies in all monitors together.', 100)),
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
