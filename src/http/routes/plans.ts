import Type from 'typebox';
import { plans } from '../../core/plans.ts';
import { answers, json } from '../answers.ts';
import type { App } from '../app-type.ts';
import { ApiPlan } from '../schemas/schemas.ts';

const PlanList = Type.Object({ data: Type.Array(ApiPlan) }, { $id: 'PlanList' });

export function registerPlans(app: App): void {
  app.get(
    '/api/v1/plans',
    {
      config: {
        operation: {
          operationId: 'listPlans',
          tag: 'Public',
          summary: 'List plans',
          description:
            'Returns the price and limits of every plan. When a quota is used up, requests are rejected. There are no overage fees.',
          authentication: 'none',
          needsNoData: true,
        },
      },
      schema: { response: answers({ 200: json('All plans, cheapest first.', PlanList) }) },
    },
    async () => ({ data: [...plans] }),
  );
}
