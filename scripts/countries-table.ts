/** Renders the README's table of countries from the registers' manifests, and the number of registers. */
import { countries, registers } from '../src/registers/index.ts';
import { writeTable } from './markdown-table.ts';

const TABLE = /(?<=<!-- countries: npm run generate:docs -->\n).*?(?=<!-- \/countries -->)/s;

/** In the first sentences. */
const COUNT = /(?<=The bulk files of )\d+(?= registers go in\.)/;

export function replaceCountries(readme: string): string {
  if (!TABLE.test(readme)) {
    throw new Error(
      'README.md has no table of countries: add "<!-- countries: npm run generate:docs -->" and "<!-- /countries -->"',
    );
  }
  if (!COUNT.test(readme)) throw new Error('README.md does not say "The bulk files of <number> registers go in."');
  return readme.replace(TABLE, renderCountries).replace(COUNT, String(registers.length));
}

function renderCountries(): string {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const rows = registers.map(({ id, country, name, publisher, updates }) => [
    country === null ? 'All countries' : (names.get(country) ?? country),
    `[${name}](docs/registers/${id}.md)`,
    publisher,
    updates,
  ]);
  const sorted = rows.toSorted(([a = ''], [b = '']) => a.localeCompare(b, 'en'));
  return writeTable(['Country', 'Register', 'Publisher', 'New files'], sorted);
}
