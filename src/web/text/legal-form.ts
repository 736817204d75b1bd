/** Enough to tell the legal forms of one country apart. */
const MAX_LENGTH = 30;

/**
 * A legal form for lists, where a long one would take the place of other facts: the abbreviation that some registers put in front, or
 * the first words. The record has all of it.
 */
export function shortenLegalForm(legalForm: string): string {
  const [, abbreviation] = /^(\p{Lu}{2,6}) - ./u.exec(legalForm) ?? [];
  if (abbreviation !== undefined) return abbreviation;
  const characters = [...legalForm];
  if (characters.length <= MAX_LENGTH) return legalForm;
  const start = characters.slice(0, MAX_LENGTH).join('');
  return `${start.replace(/[\s,;(-]+\S*$/u, '') || start}…`;
}
