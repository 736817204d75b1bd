/** Renders the README's list of registers from the registers' manifests, and the number of registers. */
import { countries, registers } from '../src/registers/index.ts';

const LIST = /(?<=<!-- countries: npm run generate:docs -->\n).*?(?=<!-- \/countries -->)/s;

/** In the first sentences. */
const COUNT = /(?<=The bulk files of )\d+(?= registers go in\.)/;

export function replaceCountries(readme: string): string {
  if (!LIST.test(readme)) {
    throw new Error(
      'README.md has no list of registers: add "<!-- countries: npm run generate:docs -->" and "<!-- /countries -->"',
    );
  }
  if (!COUNT.test(readme)) throw new Error('README.md does not say "The bulk files of <number> registers go in."');
  return readme.replace(LIST, renderCountries).replace(COUNT, String(registers.length));
}

function renderCountries(): string {
  const names = new Map(countries.map(({ code, name }) => [code, name]));
  const shared = Map.groupBy(registers, ({ country }) => country);
  const links = registers.map(({ id, country, name }) => {
    const place = country === null ? name : (names.get(country) ?? country);
    const title = (shared.get(country)?.length ?? 0) > 1 ? `${place} (${id.toUpperCase()})` : place;
    return `[${title}](docs/registers/${id}.md)`;
  });
  const sorted = links.toSorted((a, b) => a.localeCompare(b, 'en'));
  return `${sorted.join(' · ')}.\nThe [list of registers](docs/registers/README.md) says how often each publishes its files.\n`;
}
