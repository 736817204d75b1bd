const names = new Intl.DisplayNames(['en'], { type: 'region' });

/** In English, also of countries without a register of their own, whose companies GLEIF has. */
export function nameCountry(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}
