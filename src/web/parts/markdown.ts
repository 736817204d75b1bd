import { type MarkedOptions, marked, Renderer } from 'marked';
import { type Html, trusted } from '../html.ts';
import { codeBlock } from './code-block.ts';
import { scrollArea } from './scroll-area.ts';

/** Renders our own documents in `docs/`. The output is not sanitized: never use it for text from anyone else. */
export function renderMarkdown(markdown: string): Html {
  return trusted(marked.parse(markdown, options));
}

const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  ts: 'TypeScript',
  python: 'Python',
};

const renderer = new Renderer();
const plainTable = renderer.table;
const plainLink = renderer.link;
renderer.code = ({ text, lang = '' }) => codeBlock(LANGUAGES[lang] ?? 'Code', text).text;
renderer.table = function (token) {
  return scrollArea('Table', trusted(plainTable.call(this, token))).text;
};
/** Links between files (`limits.md`, `../errors.md`) become links between pages under `/docs`. */
renderer.link = function (token) {
  const [, document] = /^(?:\.\.\/)?([\w-]+)\.md$/.exec(token.href) ?? [];
  return plainLink.call(this, document === undefined ? token : { ...token, href: addressOf(document) });
};

function addressOf(document: string): string {
  return document === 'quick-start' ? '/docs' : `/docs/${document}`;
}

const options: MarkedOptions & { async: false } = { async: false, renderer };
