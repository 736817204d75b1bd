/** Renders `docs/registers/README.md`: the list of registers. */
import { countries, registers } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const INTRO = `# Registers

<!-- Written by "npm run generate:docs" from the manifests of the registers. -->

\`register\` is the identifier in records and in the search parameter of the same name. [Coverage](/coverage) shows how many
companies each register has here, and when it was last updated.
`;

const READING = `
## How to read the page of a register

- **Import** all files of one publication with one command: companies that are missing from it become \`delisted\`. For a part of the companies, such as one of
  several files or a file of changes, add \`--partial\`. Files are recognized by their content, also in zip and gzip archives. Columns may be in any order;
  unknown ones are kept and reported. Other files of the publisher are refused with the reason.
- **Temporary files**: rows of several tables, or several rows of a company, are brought together in \`TMPDIR\`, which needs as much space as the
  unpacked files.
- **Download** with \`firmament fetch\`, unless the page says *by hand*. We read the addresses in public sources and have not tried them, unless the page says
  *tried*.
- **Fields**: each is followed by its columns; of an object, each part by its columns in parentheses. Columns after *by* decide whether there is a
  value, or which one. A slash separates the names of columns in different files, \`#\` stands for a number, and a name that begins with a dot continues the one
  before it. What is *always* the same is in no column.
- **Record**: a field that the page does not list, such as \`activities\`, is empty. The number of the company is the first of \`registrations\`, with its status and end there, and
  \`numberValid\` if it has a check digit. \`sourceData\` has all cells as published; with several tables, it has a key for each.
- **\`registry\`**: [fields that registers share](fields.md) have the same name and shape everywhere. National fields are texts unless their name or shape says
  otherwise.
- **[Status](status.md)**: a value that is not listed becomes \`unknown\`, is counted and reported by the import.
- **Values that cannot be read**, such as impossible dates, are left out and reported.
- **Not known** lists what we could not check.
`;

const PLANNED = `
## Countries without a register yet

Germany and Poland (no official file of all companies), Switzerland (queries only), New Zealand (needs an agreement), India (needs a key), Colombia and Cyprus (we
had no complete rows of companies).
`;

export function renderRegisters(): string {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const rows = registers.map(({ id, country, name, updates }) => [
    country === null ? 'All countries' : (names.get(country) ?? country),
    `\`${id}\``,
    `[${name}](${id}.md)`,
    updates,
  ]);
  const sorted = rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b, 'en'));
  return `${INTRO}\n${writeTable(['Country', '`register`', 'Page', 'New files'], sorted)}${READING}${PLANNED}`;
}
