/** ISIC codes: a section is a letter; divisions, groups and classes have two, three and four digits, of which each starts with its parent. */
export const isicLevels = ['section', 'division', 'group', 'class'] as const;
export type IsicLevel = (typeof isicLevels)[number];

export function levelOf(code: string): IsicLevel {
  return /^[A-Z]/.test(code) ? 'section' : (isicLevels[code.length - 1] as IsicLevel);
}

/** The deepest code that contains all these codes; '' if the codes have no section in common or a code is unknown. */
export function shareIsic(codes: readonly string[], sectionOf: (code: string) => string): string {
  const [first = '', ...others] = codes;
  if (first === '' || others.includes('')) return '';
  for (let length = first.length; length >= 2; length--) {
    const shared = first.slice(0, length);
    if (others.every((code) => code.startsWith(shared))) return shared;
  }
  return others.every((code) => sectionOf(code) === sectionOf(first)) ? sectionOf(first) : '';
}
