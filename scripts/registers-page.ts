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

const PLANNED = `
## Countries without a register yet

- Germany, Poland: there is no official file of all companies. Germany has a copy of 2019 that is not official, Poland an API for single
  numbers.
- Colombia (RUES): the columns are known, but we had no complete row. Most of its 9.4 million rows are persons, and the values of the
  column that tells them from companies are not known.
- Cyprus: a number is unique only with a type, and we had no real rows of companies.
- India: the fields of the current file are known, but not their order, and the download needs a key.
- New Zealand: the file needs an agreement with the publisher.
- Switzerland: the open data is answered by queries, not published as a file.
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
  return `${INTRO}\n${writeTable(['Country', '`register`', 'Fields', 'Publisher', 'New files'], sorted)}${PLANNED}`;
}
