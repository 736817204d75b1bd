import { posix } from 'node:path';
import { marked, Renderer, type Tokens } from 'marked';
import { type Html, html, trusted } from '../../base/html.ts';
import { highlight } from '../docs/highlight.ts';
import { addressOf, toAnchor } from '../docs/library.ts';
import { codeBlock, scrollArea } from './blocks.ts';

/** Whether a file of the repository has a page. `file` is its path relative to `docs/`. */
export type HasPage = (file: string) => boolean;

export interface RenderedDocument {
  readonly article: Html;
  readonly headings: readonly Heading[];
}

export interface Heading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

/**
 * Renders one of our own documents, named by its path in `docs/`. The output is not sanitized: never use it for text
 * from anyone else.
 */
export function renderMarkdown(markdown: string, file: string, hasPage: HasPage = () => true): RenderedDocument {
  const headings: Heading[] = [];
  const renderer = createRenderer(file, headings, hasPage);
  const article = trusted(marked.parse(markdown, { async: false, renderer }));
  return { article, headings };
}

/** Renders one line of our own text, such as a description in the contract. */
export function renderInline(text: string): Html {
  return trusted(marked.parseInline(text, { async: false }));
}

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  ts: 'TypeScript',
  python: 'Python',
  sql: 'SQL',
};

function createRenderer(file: string, headings: Heading[], hasPage: HasPage): Renderer {
  const renderer = new Renderer();
  const { table, link, image } = renderer;
  renderer.code = ({ text, lang = '' }) => codeBlock(LANGUAGES[lang] ?? 'Code', highlight(text, lang)).text;
  renderer.table = function (token) {
    const text = table.call(this, token);
    // Markdown has no tables without a header. Screen readers would read an empty header as an empty row.
    const isHeaderless = token.header.every((cell) => cell.text === '');
    const shown = isHeaderless ? text.replace(/<thead>.*?<\/thead>/s, '') : stackColumns(text, token);
    return scrollArea('Table', trusted(shown)).text;
  };
  // Links between files, such as from `docs/guides/limits.md` to `docs/errors.md`, become links between pages.
  renderer.link = function (token) {
    const [, target, anchor = ''] = /^([\w.][\w./-]*)(#.*)?$/.exec(token.href) ?? [];
    const path = target && posix.join(posix.dirname(file), target);
    // Files without a page are only in the repository, so their links become text.
    if (path && !hasPage(path)) return this.parser.parseInline(token.tokens);
    const href = path?.endsWith('.md') && addressOf(path) + anchor;
    return link.call(this, href ? { ...token, href } : token);
  };
  renderer.image = function (token) {
    const picture = image.call(this, { ...token, href: `/assets/${posix.basename(token.href)}` });
    return picture.replace('<img', '<img loading="lazy"');
  };
  renderer.heading = function ({ tokens, depth, text }) {
    const content = this.parser.parseInline(tokens);
    if (depth === 1) return `<h1>${content}</h1>\n`;
    const heading = { depth, text: text.replaceAll('`', ''), anchor: toAnchor(text) };
    headings.push(heading);
    return `<h${depth} id="${heading.anchor}">${content} ${anchorLink(heading).text}</h${depth}>\n`;
  };
  return renderer;
}

/** In longer tables, the labels would double the size of the page. */
const MAX_STACKED_ROWS = 100;

/** On phones, rows of three to five columns become cards. More columns are a matrix, which scrolls. */
function stackColumns(table: string, { header, rows }: Pick<Tokens.Table, 'header' | 'rows'>): string {
  if (header.length < 3 || header.length > 5 || rows.length > MAX_STACKED_ROWS) return table;
  let cell = 0;
  return table.replace('<table>', '<table class="stack">').replace(/<td/g, () => {
    const { text = '' } = header[cell++ % header.length] ?? {};
    return html`<td data-label="${text.replaceAll('`', '')}"`.text;
  });
}

/** A link from a heading to its own address, so that users can share the address. */
export function anchorLink({ text, anchor }: Pick<Heading, 'text' | 'anchor'>): Html {
  return html`<a class="anchor" href="#${anchor}" aria-label="Link to “${text}”">#</a>`;
}
