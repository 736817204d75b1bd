import { posix } from 'node:path';
import { marked, Renderer } from 'marked';
import { type Html, trusted } from '../html.ts';
import { codeBlock } from './code-block.ts';
import { scrollArea } from './scroll-area.ts';

/**
 * Renders one of our own documents, named by its path in `docs/`. The output is not sanitized: never use it for text
 * from anyone else.
 */
export function renderMarkdown(markdown: string, file: string): Html {
  return trusted(marked.parse(markdown, { async: false, renderer: createRenderer(file) }));
}

/** The page that shows a file in `docs/`. */
export function addressOf(file: string): string {
  const { dir, name } = posix.parse(file);
  if (name === 'quick-start') return '/docs';
  return dir === 'registers' && !SHARED_PAGES.includes(name) ? `/docs/registers/${name}` : `/docs/${name}`;
}

/** Pages in `docs/registers/` that are not about a single register. */
const SHARED_PAGES = ['fields', 'status'];

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  ts: 'TypeScript',
  python: 'Python',
};

function createRenderer(file: string): Renderer {
  const renderer = new Renderer();
  const { table, link } = renderer;
  renderer.code = ({ text, lang = '' }) => codeBlock(LANGUAGES[lang] ?? 'Code', text).text;
  renderer.table = function (token) {
    const text = table.call(this, token);
    // Markdown has no tables without a header. An empty one would be read out as an empty row.
    const isHeaderless = token.header.every((cell) => cell.text === '');
    return scrollArea('Table', trusted(isHeaderless ? text.replace(/<thead>.*?<\/thead>/s, '') : text)).text;
  };
  // Links between files (`limits.md`, `../errors.md`) become links between pages.
  renderer.link = function (token) {
    const [, target, anchor = ''] = /^([\w./-]+\.md)(#.*)?$/.exec(token.href) ?? [];
    const href = target && addressOf(posix.join(posix.dirname(file), target)) + anchor;
    return link.call(this, href ? { ...token, href } : token);
  };
  renderer.heading = function ({ tokens, depth, text }) {
    const content = this.parser.parseInline(tokens);
    return depth === 1 ? `<h1>${content}</h1>\n` : `<h${depth} id="${toAnchor(text)}">${content}</h${depth}>\n`;
  };
  return renderer;
}

/** The anchor of a heading, as GitHub forms it, so that links work in both places. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
