/** Licences that ask for no more than to be named. MPL and CC-BY-SA are not among them, nor anything that says "see file". */
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

/** What only tests use and is never given to anybody, so that its terms on giving it on ask nothing of us. */
export const testOnly: Readonly<Record<string, string>> = { 'axe-core': 'MPL-2.0' };

/** Of an SPDX expression: every part joined by AND, one of those joined by OR. */
export function isPermissive(expression: string): boolean {
  const bare = expression.trim().replace(/^\((.*)\)$/, '$1');
  if (/[()]/.test(bare)) return false;
  return bare.split(/ OR /i).some((either) => either.split(/ AND /i).every((each) => PERMISSIVE.has(each.trim())));
}
