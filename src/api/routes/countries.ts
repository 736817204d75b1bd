import { createHash } from 'node:crypto';
import Type from 'typebox';
import { judgeTogether } from '../../base/freshness.ts';
import { keepCompressed } from '../../base/system/compression.ts';
import type { Routes } from '../../http/app.ts';
import type { Country as CountryData } from '../../registry/registry.ts';
import type { AppServices } from '../app-services.ts';
import type { DataContent } from '../charged/operation.ts';
import { type Charging, registerDataRoute } from '../charged/route.ts';
import { Country } from '../schemas/schemas.ts';

const CountryList = Type.Object(
  { data: Type.Array(Country), meta: Type.Object({ count: Type.Integer({ minimum: 0, examples: [1] }) }) },
  { $id: 'CountryList' },
);

interface KeptList {
  /** The version of the data. */
  readonly version: string;
  readonly countries: readonly CountryData[];
  readonly minute: number;
  readonly text: string;
  readonly reply: DataContent;
}

const MINUTE = 60_000;

export function registerCountries(app: Routes, { registry, search, clock }: AppServices, charging: Charging): void {
  /**
   * The list changes with the data, so it is kept as long as the same version of the data is searched. It also changes when a country's
   * data becomes due, so it is judged again each minute, at its start: all threads send the same bytes.
   */
  let latest: KeptList | undefined;

  function findKept(version: string | Promise<string>, minute: number): DataContent | undefined {
    if (latest?.version !== version) return undefined;
    if (latest.minute !== minute) latest = judgeList(latest, minute, latest);
    return latest.reply;
  }

  /**
   * The version is older than the list if an import commits in between. Then clients fetch the list once more. A version that is too
   * new would hide the import from them.
   */
  async function readList(version: string | Promise<string>, minute: number): Promise<DataContent> {
    const current = await version;
    const kept = findKept(current, minute);
    if (kept !== undefined) return kept;
    latest = judgeList({ version: current, countries: await registry.listCountries() }, minute);
    return latest.reply;
  }

  registerDataRoute(app, charging, {
    url: '/api/v1/countries',
    operation: {
      operationId: 'listCountries',
      summary: 'List countries',
      description:
        'Returns every country that has at least one company (`enabled`), whichever register it comes from, and the countries ' +
        'that are planned. `freshness` and `asOf` describe the national registers of the country, or else the registers that also ' +
        'list its companies.',
    },
    success: { description: 'All countries, sorted by code.', schema: CountryList },
    answer() {
      const version = search.version();
      const minute = Math.floor(clock.now() / MINUTE);
      return findKept(version, minute) ?? readList(version, minute);
    },
  });
}

/** The previous reply is kept if its text is the same, with its compressed forms. */
function judgeList(
  { version, countries }: Pick<KeptList, 'version' | 'countries'>,
  minute: number,
  previous?: KeptList,
): KeptList {
  const data = countries.map(({ data, ...country }) => ({ ...country, ...judgeTogether(data, minute * MINUTE) }));
  const text = JSON.stringify({ data, meta: { count: data.length } });
  if (previous?.text === text) return { ...previous, minute };
  // Two texts of the same data must not have the same entity tag.
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const reply = { version: `${version}.${digest}`, body: keepCompressed(Buffer.from(text)) };
  return { version, countries, minute, text, reply };
}
