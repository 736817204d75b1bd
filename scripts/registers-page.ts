/** Renders `docs/registers/README.md`: the list of registers. */
import { countries, registers } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const INTRO = `# Registers

<!-- Written by "npm run generate:docs" from the manifests of the registers. -->

Each register has a page that says which fields its records have, which source column each field comes from, how its
statuses are mapped, and what is unusual about it. Fields that registers share are described in
[Fields of a record](fields.md), and the normalized status in [Status of a company](status.md).

\`register\` is the identifier in records and in the search parameter of the same name. [Coverage](/coverage) shows how many
companies each register has here, and when it was last updated.
`;

export function renderRegisters(): string {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const rows = registers.map(({ id, country, name, publisher, updates }) => [
    country === null ? 'All countries' : (names.get(country) ?? country),
    `\`${id}\``,
    `[${name}](${id}.md)`,
    publisher,
    updates,
  ]);
  const sorted = rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b, 'en'));
  return `${INTRO}\n${writeTable(['Country', '`register`', 'Fields', 'Publisher', 'New files'], sorted)}`;
}
