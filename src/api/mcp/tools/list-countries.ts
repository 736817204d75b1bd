import Type from 'typebox';
import { judgeTogether } from '../../../base/freshness.ts';
import { boundField } from '../register-text.ts';
import { NullableText, Text } from '../shapes.ts';
import { defineTool } from '../tool.ts';

/** A register may consist of many files. */
const MAX_FILES = 3;

export const countriesTool = defineTool({
  name: 'list_countries',
  description: 'Lists the countries and registers that can be searched, with their number of companies, files and age.',
  input: {},
  output: {
    countries: Type.Array(Type.Object({ code: Text, name: Text, asOf: NullableText, freshness: NullableText })),
    planned: Type.Array(Text),
    registers: Type.Array(
      Type.Object({
        id: Text,
        countryCode: NullableText,
        name: Text,
        companies: Type.Integer(),
        asOf: NullableText,
        synthetic: Type.Boolean(),
        files: Type.Array(Type.Object({ file: Text, hash: Text })),
      }),
    ),
  },
  async run(_given, { registry, clock }) {
    const now = clock.now();
    const [listed, states, files] = await Promise.all([
      registry.listCountries(),
      registry.listRegisters(now),
      registry.listFiles(),
    ]);
    const filesOf = Map.groupBy(files, ({ register }) => register);
    const countries = listed
      .filter(({ enabled }) => enabled)
      .map(({ code, name, data }) => ({ code, name, ...judgeTogether(data, now) }));
    const planned = listed.filter(({ enabled }) => !enabled).map(({ code }) => code);
    const registers = states
      .filter(({ entities }) => entities > 0)
      .map(({ register: { id, country, name }, entities, asOf, synthetic }) => ({
        id,
        countryCode: country,
        name,
        companies: entities,
        asOf,
        synthetic,
        files: (filesOf.get(id) ?? []).slice(0, MAX_FILES).map(({ file, hash }) => ({ file: boundField(file), hash })),
      }));
    const lines = registers.map(({ id, countryCode, name, companies, asOf, synthetic }) => {
      const place = countryCode ?? 'all countries';
      return `- ${id} (${place}): ${name}, ${companies} companies, ${asOf === null ? 'day not stated' : `as of ${asOf}`}${synthetic ? ', synthetic sample' : ''}`;
    });
    const codes = countries.map(({ code }) => code).join(', ');
    const text = [
      `${countries.length === 1 ? '1 country' : `${countries.length} countries`}: ${codes || 'none yet'}. Planned: ${planned.join(', ')}. Registers:`,
      ...lines,
    ].join('\n');
    return { data: { countries, planned, registers }, text };
  },
});
