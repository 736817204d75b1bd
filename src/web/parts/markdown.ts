import { type MarkedOptions, marked, Renderer } from 'marked';
import { type Html, html, trusted } from '../html.ts';
import { codeBlock } from './code-block.ts';

/** Our own documents as pages: the files of `docs/` can be read in a repository and here. Never for text of others. */
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
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">${trusted(plainTable.call(this, token))}</div>`
    .text;
};
/** `limits.md` and `../errors.md` are pages beneath `/docs`. */
renderer.link = function (token) {
  const [, document] = /^(?:\.\.\/)?([\w-]+)\.md$/.exec(token.href) ?? [];
  return plainLink.call(this, document === undefined ? token : { ...token, href: addressOf(document) });
};

function addressOf(document: string): string {
  return document === 'quick-start' ? '/docs' : `/docs/${document}`;
}

const options: MarkedOptions & { async: false } = { async: false, renderer };
