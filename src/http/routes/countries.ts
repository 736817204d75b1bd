import Type from 'typebox';
import { keepCompressed } from '../../core/compression.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Search } from '../../search/search.ts';
import type { App } from '../app-type.ts';
import type { DataReply } from '../data-operation.ts';
import { type DataGate, registerDataRoute } from '../data-route.ts';
import { Country } from '../schemas.ts';

const CountryList = Type.Object(
  { data: Type.Array(Country), meta: Type.Object({ count: Type.Integer({ minimum: 0 }) }) },
  { $id: 'CountryList' },
);

export interface CountryServices {
  readonly registry: Pick<Registry, 'listCountries'>;
  readonly search: Pick<Search, 'version'>;
}

export function registerCountries(app: App, { registry, search }: CountryServices, gate: DataGate): void {
  /** The list changes only with the data, so it is kept as long as the same version of the data is searched. */
  let latest: DataReply | undefined;

  /**
   * The version is older than the list if an import commits in between. Then clients fetch the list once more. A version that is too
   * new would hide the import from them.
   */
  async function readList(version: string | Promise<string>): Promise<DataReply> {
    const current = await version;
    if (latest?.version === current) return latest;
    const data = await registry.listCountries();
    const text = JSON.stringify({ data, meta: { count: data.length } });
    latest = { version: current, body: keepCompressed(Buffer.from(text)) };
    return latest;
  }

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
    version: () => search.version(),
    answer() {
      const version = search.version();
      return latest?.version === version ? latest : readList(version);
    },
  });
}
