import { marked, type Token } from 'marked';
import { fold } from '../../base/fold.ts';
import { type Operation, operationAddress } from './contract.ts';
import { type Document, REFERENCE, toAnchor } from './library.ts';

/** A part of a document that a search can find: the text below one heading. */
interface Passage {
  readonly title: string;
  /** Undefined for the text before the first heading. */
  readonly heading?: string;
  readonly address: string;
  readonly text: string;
}

export interface Hit {
  readonly passage: Passage;
  readonly excerpt: readonly ExcerptWord[];
}

interface ExcerptWord {
  readonly text: string;
  readonly isMatch: boolean;
}

const MAX_HITS = 25;
const MAX_TERMS = 8;
const WORDS_BEFORE = 8;
const EXCERPT_WORDS = 36;
/** A heading that contains a word is stronger evidence than one more mention in the text. */
const WEIGHTS = { heading: 12, title: 6, mention: 1, maxMentions: 5, wholeWords: 1_000 };

/**
 * Finds the passages that contain every word of a query, whole words first, then parts of words. A few hundred passages need no index.
 */
export function createDocsSearch(passages: readonly Passage[]): (q: string) => readonly Hit[] {
  const indexed = passages.map((passage) => {
    const { title, heading = title, text } = passage;
    // The text before the first heading has the title as its heading.
    const parts = { title: fold(title), heading: fold(heading), text: fold(text) };
    return { passage, ...parts, words: padWords(`${parts.title} ${parts.heading} ${parts.text}`) };
  });
  return (q) => {
    const terms = splitWords(fold(q)).slice(0, MAX_TERMS);
    const scored = indexed
      .map((entry) => ({ ...entry, score: scorePassage(entry, terms) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    return scored.slice(0, MAX_HITS).map(({ passage }) => ({ passage, excerpt: cutExcerpt(passage.text, terms) }));
  };
}

/** The score of a passage; 0 if a word is missing. */
function scorePassage(
  passage: Record<'words' | 'title' | 'heading' | 'text', string>,
  terms: readonly string[],
): number {
  const { words, title, heading, text } = passage;
  const scores = terms.map((term) => {
    const mentions = Math.min(text.split(term, WEIGHTS.maxMentions + 1).length - 1, WEIGHTS.maxMentions);
    const inHeading = heading.includes(term) && (heading === term ? 2 : 1) * WEIGHTS.heading;
    return Number(inHeading) + (title.includes(term) ? WEIGHTS.title : 0) + mentions * WEIGHTS.mention;
  });
  if (scores.length === 0 || scores.includes(0)) return 0;
  const whole = terms.every((term) => words.includes(padWords(term))) ? WEIGHTS.wholeWords : 0;
  return scores.reduce((sum, score) => sum + score, whole);
}

/** Reduces a text to letters and digits with single spaces around each word. */
function padWords(folded: string): string {
  return ` ${folded.replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
}

function cutExcerpt(text: string, terms: readonly string[]): ExcerptWord[] {
  const all = padWords(fold(text));
  // A part of a word is marked only if the text does not have the whole word.
  const isFound = (word: string, term: string) =>
    all.includes(padWords(term)) ? padWords(word).includes(padWords(term)) : word.includes(term);
  const words = text.split(' ').map((word) => {
    const folded = fold(word);
    return { text: word, isMatch: terms.some((term) => isFound(folded, term)) };
  });
  const start = Math.max(0, words.findIndex(({ isMatch }) => isMatch) - WORDS_BEFORE);
  return words.slice(start, start + EXCERPT_WORDS);
}

function splitWords(text: string): string[] {
  return text.split(/[^\p{L}\p{N}_.-]+/u).filter((word) => word !== '');
}

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

/** The summary of a document: the start of its first paragraph, in the length that search engines show. */
export function summarizeDocument(source: string): string {
  const paragraph = (marked.lexer(source) as Token[]).find(({ type }) => type === 'paragraph')?.raw ?? '';
  const text = collapse(toPlainText(paragraph));
  return text.length <= MAX_SUMMARY ? text : `${text.slice(0, text.lastIndexOf(' ', MAX_SUMMARY))} …`;
}

const MAX_SUMMARY = 160;

/** The passage for an operation of the API, with its parameters. */
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

/** Removes the marks of Markdown, because a search is for words, and results show plain text. */
function toPlainText(markdown: string): string {
  return (
    markdown
      .replace(/<!--.*?-->/gs, ' ')
      .replace(/^```\w*$/gm, ' ')
      .replace(/^\|[-|: ]+$/gm, ' ')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/`|\*\*/g, '')
      // A separator remains between the cells of a table.
      .replace(/^\|\s*|\s*\|$/gm, '')
      .replace(/\s*\|\s*/g, ' · ')
  );
}

function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
