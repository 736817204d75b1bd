import Type from 'typebox';
import { keepCompressed } from '../../core/compression.ts';
import type { Registry } from '../../registry/registry.ts';
import type { App } from '../app-type.ts';
import type { DataReply } from '../data-operation.ts';
import { type DataGate, registerDataRoute } from '../data-route.ts';
import { Country } from '../schemas.ts';

const CountryList = Type.Object(
  { data: Type.Array(Country), meta: Type.Object({ count: Type.Integer({ minimum: 0 }) }) },
  { $id: 'CountryList' },
);

export interface CountryServices {
  readonly registry: Pick<Registry, 'version' | 'listCountries'>;
}

export function registerCountries(app: App, { registry }: CountryServices, gate: DataGate): void {
  /** The list changes only with the data, so it is kept until the next import. */
  let latest: DataReply | undefined;
  registerDataRoute(app, gate, {
    url: '/api/v1/countries',
    operation: {
      operationId: 'listCountries',
      summary: 'List countries',
      description:
        'Returns every country that has at least one company (`enabled`), whichever register it comes from, and the countries ' +
        'that are planned.',
    },
    success: { description: 'All countries, sorted by code.', schema: CountryList },
    version: () => registry.version(),
    async answer() {
      // Read the version before the data. If an import commits in between, the tag is too old, and clients fetch the list once
      // more. A tag that is too new would hide the import from them.
      const version = await registry.version();
      if (latest?.version === version) return latest;
      const data = await registry.listCountries();
      const text = JSON.stringify({ data, meta: { count: data.length } });
      latest = { version, body: keepCompressed(Buffer.from(text)) };
      return latest;
    },
  });
}
