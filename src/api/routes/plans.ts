import Type from 'typebox';
import { plans } from '../../base/plans.ts';
import type { Routes } from '../../http/app.ts';
import { answers, json } from '../answers.ts';
import { ApiPlan } from '../schemas/schemas.ts';

const PlanList = Type.Object({ data: Type.Array(ApiPlan) }, { $id: 'PlanList' });

export function registerPlans(app: Routes): void {
  app.route({
    method: 'GET',
    url: '/api/v1/plans',
    operation: {
      operationId: 'listPlans',
      tag: 'Public',
      summary: 'List plans',
      description:
        'Returns the price and limits of every plan. When a quota is used up, requests are rejected. There are no overage fees.',
      authentication: 'none',
      needsNoData: true,
    },
    schema: { response: answers({ 200: json('All plans, cheapest first.', PlanList) }) },
    handler: async () => ({ data: [...plans] }),
  });
}
