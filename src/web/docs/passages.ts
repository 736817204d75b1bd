import { marked, type Token } from 'marked';
import { toAnchor } from '../parts/markdown.ts';
import type { Operation } from '../reference/contract.ts';
import { operationAddress } from '../reference/groups.ts';
import { type Document, REFERENCE } from './library.ts';
import type { Passage } from './search.ts';

/** Splits a document at its headings. */
export function splitDocument({ title, address }: Pick<Document, 'title' | 'address'>, source: string): Passage[] {
  const passages: { heading?: string; address: string; texts: string[] }[] = [{ address, texts: [] }];
  for (const token of marked.lexer(source) as Token[]) {
    if (token.type !== 'heading') passages.at(-1)?.texts.push(toPlainText(token.raw));
    else if (token.depth > 1) {
      passages.push({
        heading: token.text.replaceAll('`', ''),
        address: `${address}#${toAnchor(token.text)}`,
        texts: [],
      });
    }
  }
  return passages.map(({ texts, ...passage }) => ({ title, ...passage, text: collapse(texts.join(' ')) }));
}

/** What a document is about: its first sentences, as long as search engines show them. */
export function summarizeDocument(source: string): string {
  const paragraph = (marked.lexer(source) as Token[]).find(({ type }) => type === 'paragraph')?.raw ?? '';
  const text = collapse(toPlainText(paragraph));
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, text.lastIndexOf(' ', MAX_SUMMARY))} …`;
}

const MAX_SUMMARY = 160;

/** An operation of the API with its parameters. */
export function describeOperation(operation: Operation): Passage {
  const { method, path, summary, description = '', parameters = [] } = operation;
  const texts = parameters.map((parameter) => `${parameter.name}: ${parameter.description ?? ''}`);
  return {
    title: REFERENCE.title,
    heading: summary,
    address: operationAddress(operation),
    text: collapse(toPlainText([`${method.toUpperCase()} ${path}.`, description, ...texts].join(' '))),
  };
}

/** Removes the marks of Markdown: a search is for words, and results show them as text. */
function toPlainText(markdown: string): string {
  return (
    markdown
      .replace(/<!--.*?-->/gs, ' ')
      .replace(/^```\w*$/gm, ' ')
      .replace(/^\|[-|: ]+$/gm, ' ')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/`|\*\*/g, '')
      // Cells of a table stay apart.
      .replace(/^\|\s*|\s*\|$/gm, '')
      .replace(/\s*\|\s*/g, ' · ')
  );
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
