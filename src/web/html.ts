/** HTML text that is inserted without escaping. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Insertable = Html | string | number | null | undefined | false | readonly Insertable[];

/**
 * Template tag that escapes every inserted value except HTML built with this tag. Names in registers may contain
 * markup.
 */
export function html(parts: TemplateStringsArray, ...values: Insertable[]): Html {
  return new Html(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Marks text as HTML. Use it only for our own text, never for anything from a client or a register. */
export function trusted(text: string): Html {
  return new Html(text);
}

function render(value: Insertable): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
