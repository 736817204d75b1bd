import { readFileSync } from 'node:fs';
import { marked } from 'marked';
import { type Html, html, trusted } from '../html.ts';
import { layout } from '../layout.ts';

/** One page for all error codes and one for each, from `docs/errors.md`, where a code is a heading of level two. */
export interface ErrorPages {
  readonly overview: Html;
  readonly byCode: ReadonlyMap<string, Html>;
}

export function readErrorPages(): ErrorPages {
  const source = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const [introduction = '', ...sections] = source.split(/^(?=## )/m);
  const codes = sections.map((section) => ({ code: codeOf(section), body: toHtml(section) }));
  const byCode = codes.map(({ code, body }) => {
    const back = html`<p><a href="/docs/errors">All error codes</a></p>`;
    return [code, layout(code, html`<article>${body}</article>${back}`)] as const;
  });
  const list = codes.map(({ code, body }) => html`<article id="${code}">${body}</article>`);
  return {
    overview: layout('Errors', html`${toHtml(introduction)}${list}`),
    byCode: new Map(byCode),
  };
}

function codeOf(section: string): string {
  return /^## `(\w+)`/.exec(section)?.[1] ?? '';
}

function toHtml(markdown: string): Html {
  return trusted(marked.parse(markdown, { async: false }));
}
