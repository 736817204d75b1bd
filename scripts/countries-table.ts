/** Writes the README's table of countries from the registers' manifests (`npm run readme`). A test compares the two. */
import { readFileSync, writeFileSync } from 'node:fs';
import { countries, registers } from '../src/registers/index.ts';

const README = new URL('../README.md', import.meta.url);
const TABLE = /(?<=<!-- countries: npm run readme -->\n).*?(?=<!-- \/countries -->)/s;

export function renderCountries(): string {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const rows = registers.map(({ id, country, name, publisher, updates }) => {
    return [
      country === null ? 'All countries' : (names.get(country) ?? country),
      `[${name}](docs/registers/${id}.md)`,
      publisher,
      updates,
    ];
  });
  const sorted = rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b, 'en'));
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return (
    line(['Country', 'Register', 'Publisher', 'New files']) +
    line(['---', '---', '---', '---']) +
    sorted.map(line).join('')
  );
}

export function readCountries(): string | undefined {
  return TABLE.exec(readFileSync(README, 'utf8'))?.[0];
}

if (import.meta.main) writeFileSync(README, readFileSync(README, 'utf8').replace(TABLE, renderCountries()));
