/**
 * PostgreSQL cannot store U+0000, and UTF-8 cannot encode a lone surrogate: both become U+FFFD. Every text of a source
 * file that is stored on its own goes through this; JSON escapes both.
 */
export function toStorable(text: string): string {
  if (text.isWellFormed() && !text.includes('\0')) return text;
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
