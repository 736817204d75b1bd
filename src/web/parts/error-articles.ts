import { type Html, html } from '../html.ts';
import { renderMarkdown } from './markdown.ts';

/** `docs/errors.md` as one page and as one page per code. In that file each code is a level-two heading. */
export interface ErrorArticles {
  readonly overview: Html;
  readonly byCode: ReadonlyMap<string, Html>;
}

export function readErrorArticles(source: string, file: string): ErrorArticles {
  const [introduction = '', ...sections] = source.split(/^(?=## )/m);
  const list = sections.map((section) => html`<section>${renderMarkdown(section, file)}</section>`);
  const byCode = sections.map((section) => {
    const back = html`<p><a href="/docs/errors">All error codes</a></p>`;
    return [codeOf(section), html`${renderMarkdown(section.replace('##', '#'), file)}${back}`] as const;
  });
  return { overview: html`${renderMarkdown(introduction, file)}${list}`, byCode: new Map(byCode) };
}

function codeOf(section: string): string {
  return /^## `(\w+)`/.exec(section)?.[1] ?? '';
}
