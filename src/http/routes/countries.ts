import Type from 'typebox';
import { answers, json } from '../answers.ts';
import type { App } from '../app.ts';
import { Country } from '../schemas.ts';

const CountryList = Type.Object(
  { data: Type.Array(Country), meta: Type.Object({ count: Type.Integer({ minimum: 0 }) }) },
  { $id: 'CountryList' },
);

/** What the route needs of the registry. */
export interface Countries {
  listCountries(): Promise<Array<{ code: string; name: string; nativeName: string; enabled: boolean }>>;
}

export function registerCountries(app: App, registry: Countries): void {
  app.get(
    '/api/v1/countries',
    {
      config: {
        operation: {
          operationId: 'listCountries',
          tag: 'Registry',
          summary: 'Supported countries',
          description: 'Countries whose registers have data (`enabled`), and those that are planned or have none yet.',
          authentication: 'none',
        },
      },
      schema: { response: answers({ 200: json('All countries, by code.', CountryList) }, 'service_unavailable') },
    },
    async () => {
      const data = await registry.listCountries();
      return { data, meta: { count: data.length } };
    },
  );
}
