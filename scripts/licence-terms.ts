/** Licences that require attribution at most. MPL, CC-BY-SA and "see licence in file" do not qualify. */
const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  'PSF-2.0',
  'Unlicense',
  'Zlib',
]);

/** Packages that only tests use. They are never distributed, so their terms of distribution do not apply. */
export const testOnly: Readonly<Record<string, string>> = { 'axe-core': 'MPL-2.0' };

/** Reads an SPDX expression: every part joined by AND must be permissive, and one of those joined by OR. */
export function isPermissive(expression: string): boolean {
  const bare = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(bare)) return false;
  return bare.split(/ OR /i).some((either) => either.split(/ AND /i).every((each) => PERMISSIVE.has(each.trim())));
}
