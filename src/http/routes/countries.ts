import Type from 'typebox';
import type { Registry } from '../../registry/registry.ts';
import type { App } from '../app-type.ts';
import { type DataGate, type DataReply, registerDataRoute } from '../data-route.ts';
import { Country } from '../schemas.ts';

const CountryList = Type.Object(
  { data: Type.Array(Country), meta: Type.Object({ count: Type.Integer({ minimum: 0 }) }) },
  { $id: 'CountryList' },
);

export interface CountryServices {
  readonly registry: Pick<Registry, 'version' | 'listCountries'>;
}

export function registerCountries(app: App, { registry }: CountryServices, gate: DataGate): void {
  /** The list changes with the data and with nothing else. */
  let latest: DataReply | undefined;
  registerDataRoute(app, gate, {
    url: '/api/v1/countries',
    operation: {
      operationId: 'listCountries',
      summary: 'Supported countries',
      description: 'Countries whose registers have data (`enabled`), and those that are planned or have none yet.',
    },
    success: { description: 'All countries, by code.', schema: CountryList },
    version: () => registry.version(),
    async answer() {
      // The version first: an import between the two makes the tag too old, which costs a client one more reply. Too new
      // it would keep a client from ever seeing that import.
      const version = await registry.version();
      if (latest?.version === version) return latest;
      const data = await registry.listCountries();
      latest = { version, body: JSON.stringify({ data, meta: { count: data.length } }) };
      return latest;
    },
  });
}
