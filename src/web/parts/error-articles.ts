import { type Html, html } from '../html.ts';
import { type RenderedDocument, renderMarkdown } from './markdown.ts';

/** `docs/errors.md` as one page and as one page per code. In that file each code is a level-two heading. */
export interface ErrorArticles {
  readonly overview: RenderedDocument;
  readonly byCode: ReadonlyMap<string, RenderedDocument>;
}

export function readErrorArticles(source: string, file: string): ErrorArticles {
  const [introduction = '', ...sections] = source.split(/^(?=## )/m);
  const list = sections.map((section) => renderMarkdown(section, file));
  const byCode = sections.map((section) => {
    const { article, headings } = renderMarkdown(section.replace('##', '#'), file);
    const back = html`<p><a href="/docs/errors">All error codes</a></p>`;
    return [codeOf(section), { article: html`${article}${back}`, headings }] as const;
  });
  return {
    overview: {
      article: html`${renderMarkdown(introduction, file).article}${list.map(wrap)}`,
      headings: list.flatMap(({ headings }) => headings),
    },
    byCode: new Map(byCode),
  };
}

function wrap({ article }: RenderedDocument): Html {
  return html`<section>${article}</section>`;
}

function codeOf(section: string): string {
  return /^## `(\w+)`/.exec(section)?.[1] ?? '';
}
