import Type from 'typebox';
import { judgeTogether } from '../base/freshness.ts';
import type { Country as CountryData } from '../registry/registry.ts';
import { component, day, flag, nullable, replyOf, text } from './fields.ts';
import { type DataContent, dataOperation, renderList } from './serving/data-operation.ts';

export const Country = component('Country', 'A country that has companies here, or is planned.', {
  code: text('Two-letter country code (ISO 3166-1 alpha-2).', 'GB', { minLength: 2, maxLength: 2 }),
  name: text('English name.', 'United Kingdom'),
  nativeName: text('Name in the language of the country.', 'United Kingdom'),
  enabled: flag('Whether there is at least one company of this country.', true),
  freshness: nullable(
    Type.Enum(['fresh', 'due', 'overdue'], {
      description:
        'How current the data is by the publishing rhythm of the register: `due` one period after the day that the data describes, ' +
        '`overdue` after two. `null` if there is no official data or the rhythm is unknown.',
    }),
  ),
  asOf: nullable(
    day(
      'The day that the data describes, according to its publisher. Of several registers, the oldest day. `null` if unknown.',
      '2026-09-01',
    ),
  ),
});

const CountryList = replyOf('CountryList', Type.Array(Country), {
  count: Type.Integer({ minimum: 0, examples: [1] }),
});

interface KeptList {
  /** The version of the data. */
  readonly version: string;
  readonly countries: readonly CountryData[];
  readonly minute: number;
  readonly reply: DataContent;
}

const MINUTE = 60_000;

export const countries = dataOperation({
  url: '/api/v1/countries',
  operationId: 'listCountries',
  summary: 'List countries',
  description:
    'Returns every country that has at least one company (`enabled`), whichever register it comes from, and the countries ' +
    'that are planned. `freshness` and `asOf` describe the national registers of the country, or else the registers that also ' +
    'list its companies.',
  success: { description: 'All countries, sorted by code.', schema: CountryList },
  answer({ registry, search, clock }) {
    /**
     * The list is kept until the searched version of the data changes. It also changes when a country's data becomes due, so its freshness is
     * computed again at the start of each minute: all threads send the same bytes.
     */
    let latest: KeptList | undefined;

    function findKept(version: string | Promise<string>, minute: number): DataContent | undefined {
      if (latest?.version !== version) return undefined;
      if (latest.minute !== minute) latest = judgeList(latest, minute, latest.reply);
      return latest.reply;
    }

    /**
     * If an import commits between the two reads, the version is older than the list, and clients fetch the list once more. A version newer than the
     * list would hide the import from clients.
     */
    async function readList(version: string | Promise<string>, minute: number): Promise<DataContent> {
      const current = await version;
      const kept = findKept(current, minute);
      if (kept !== undefined) return kept;
      latest = judgeList({ version: current, countries: await registry.listCountries() }, minute);
      return latest.reply;
    }

    return () => {
      const version = search.version();
      const minute = Math.floor(clock.now() / MINUTE);
      return findKept(version, minute) ?? readList(version, minute);
    };
  },
});

/** The previous reply is kept, with its compressed forms, if the text has not changed. */
function judgeList(
  { version, countries }: Pick<KeptList, 'version' | 'countries'>,
  minute: number,
  previous?: DataContent,
): KeptList {
  const data = countries.map(({ data, ...country }) => ({ ...country, ...judgeTogether(data, minute * MINUTE) }));
  const reply = renderList(version, data);
  return { version, countries, minute, reply: previous?.version === reply.version ? previous : reply };
}
