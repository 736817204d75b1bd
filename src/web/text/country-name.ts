const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** The English name of any country, served or not: GLEIF lists companies from countries that have no register here. */
export function nameCountry(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}

/** Sorted by name: sorted by code, Germany (DE) would come before Estonia (EE). */
export function sortByCountryName<T extends { readonly code: string }>(countries: readonly T[]): T[] {
  return countries.toSorted((a, b) => (nameCountry(a.code) < nameCountry(b.code) ? -1 : 1));
}
