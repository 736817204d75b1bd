import { type Html, html } from './html.ts';

/** Shows text from a register: `<bdi>` isolates its direction, and characters that are invisible or change the order become `U+202E`. */
export function showText(text: string): Html {
  return html`<bdi>${showInvisible(text)}</bdi>`;
}

/** Like `showText`, with a link if the whole text is the address of a page or mailbox. The link is `nofollow`: we do not recommend it. */
export function linkText(text: string): Html {
  const href = findAddress(text.trim());
  return href === undefined
    ? showText(text)
    : html`<a href="${href}" rel="nofollow noreferrer noopener">${showText(text)}</a>`;
}

function findAddress(text: string): string | undefined {
  if (/^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/.test(text)) return `mailto:${text}`;
  const page = /^www\.[^\s/]+\.\S+$/i.test(text) ? `http://${text}` : text;
  const url = /^https?:\/\/[^\s"<>]+$/i.test(page) ? URL.parse(page) : null;
  return url?.href;
}

/** Like `showText`, for places that take no markup, such as `<title>`: invisible characters become spaces. */
export function plainText(text: string): string {
  return text.replace(INVISIBLE, ' ').replace(/\s+/g, ' ').trim();
}

/** Writes invisible characters in a JSON string as `\u` escapes: copied from the page, the JSON parses to the same record. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE, (character) => `\\u${codePointOf(character).slice(2).toLowerCase()}`);
}

/** Letters, digits, punctuation and symbols, except characters that are displayed as nothing: fillers and the Braille blank. */
const VISIBLE = /[[\p{L}\p{N}\p{P}\p{S}]--[\p{Default_Ignorable_Code_Point}\u2800]]/v;
const NAMELESS = 'no visible name';

/** Shows a name that a user has chosen, which may have no visible character. */
export function showName(name: string): Html {
  return VISIBLE.test(name) ? showText(name) : html`<span class="invisible">${NAMELESS}</span>`;
}

export function plainName(name: string): string {
  return VISIBLE.test(name) ? plainText(name) : NAMELESS;
}

/** Shows text from a register without isolating its direction, for a part of a text. */
export function showInvisible(text: string): Html {
  const parts = text.split(INVISIBLE);
  const separators = text.match(INVISIBLE) ?? [];
  const shown = parts.flatMap((part, index) => {
    const separator = separators[index];
    if (separator === undefined) return [html`${part}`];
    return [html`${part}`, html`<span class="invisible">${codePointOf(separator)}</span>`];
  });
  return html`${shown}`;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Control characters, line and paragraph separators, directional embeddings, overrides and isolates, and zero-width
 * spaces. U+200E, U+200F and the zero-width joiners are not included because Hebrew, Arabic and Indic names need them.
 */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]/gu;
