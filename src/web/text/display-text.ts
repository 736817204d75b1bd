import { type Html, html } from '../html.ts';

/**
 * Text of a register, shown as it is and harmlessly: kept apart from the text around it whatever its direction, with characters
 * that nobody can see, or that turn the reading order, written out by their number.
 */
export function showText(text: string): Html {
  return html`<bdi>${showUnseen(text)}</bdi>`;
}

/** The same where only plain text can stand, as in a title. */
export function plainText(text: string): string {
  return text.replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
}

/** Inside a JSON string they are written as its escapes, so that who copies the text still has the same record. */
export function escapeUnseen(json: string): string {
  return json.replace(UNSEEN, (mark) => `\\u${nameOf(mark).slice(2).toLowerCase()}`);
}

function showUnseen(text: string): Html {
  const parts = text.split(UNSEEN);
  const marks = text.match(UNSEEN) ?? [];
  const shown = parts.flatMap((part, at) => {
    const mark = marks[at];
    if (mark === undefined) return [html`${part}`];
    return [html`${part}`, html`<span class="unseen">${nameOf(mark)}</span>`];
  });
  return html`${shown}`;
}

function nameOf(mark: string): string {
  return `U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Control characters, line and paragraph separators, embeddings, overrides and isolates of text direction, blanks without width.
 * The marks that names in Hebrew and Arabic need (U+200E, U+200F) and joiners are not among them.
 */
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/gu;
