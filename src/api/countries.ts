import Type from 'typebox';
import { judgeTogether } from '../base/freshness.ts';
import type { Registry } from '../registry/registry.ts';
import { component, flag, orNull, replyOf, text } from './fields.ts';
import { type DataContent, dataOperation, renderList } from './serving/data-operation.ts';

const Country = component('Country', 'A country that has companies here, or is planned.', {
  code: text('Two-letter country code (ISO 3166-1 alpha-2).', 'GB', { minLength: 2, maxLength: 2 }),
  name: text('English name.', 'United Kingdom'),
  nativeName: text('Name in the language of the country.', 'United Kingdom'),
  enabled: flag('Whether there is at least one company of this country.', true),
  freshness: orNull.choice(
    ['fresh', 'due', 'overdue'],
    'How current the data is by the publishing rhythm of the register: `due` one period after the day that the data describes, ' +
      '`overdue` after two. `null` if there is no official data or the rhythm is unknown.',
  ),
  asOf: orNull.day(
    'The day that the data describes, according to its publisher. Of several registers, the oldest day. `null` if unknown.',
    '2026-09-01',
  ),
});

const CountryList = replyOf('CountryList', Type.Array(Country), {
  count: Type.Integer({ minimum: 0, examples: [1] }),
});

interface Kept {
  readonly version: string;
  readonly minute: number;
  readonly countries: Awaited<ReturnType<Registry['listCountries']>>;
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
     * The list is kept until the searched version of the data changes. It also changes when a country's data becomes due, so it is judged again at
     * the start of each minute: all threads send the same bytes.
     */
    let latest: Kept | undefined;

    /**
     * If an import commits between the two reads, the version is older than the list, and clients fetch the list once more. A version newer than the
     * list would hide the import from clients.
     */
    async function makeList(given: string | Promise<string>, minute: number): Promise<DataContent> {
      const version = await given;
      if (latest?.version === version && latest.minute === minute) return latest.reply;
      const countries = latest?.version === version ? latest.countries : await registry.listCountries();
      const data = countries.map(({ data, ...country }) => ({ ...country, ...judgeTogether(data, minute * MINUTE) }));
      const reply = renderList(version, data);
      latest = { version, minute, countries, reply };
      return reply;
    }

    return () => {
      const version = search.version();
      const minute = Math.floor(clock.now() / MINUTE);
      return latest?.version === version && latest.minute === minute ? latest.reply : makeList(version, minute);
    };
  },
});
