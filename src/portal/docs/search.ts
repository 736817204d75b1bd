import { marked, type Token } from 'marked';
import { fold } from '../../base/fold.ts';
import { findNearest } from '../../base/nearest.ts';
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

export interface DocsAnswer {
  readonly hits: readonly Hit[];
  /** The query with misspelled words replaced, if the search found nothing. */
  readonly suggestion?: string;
}

export type SearchDocs = (q: string) => DocsAnswer;

const MAX_HITS = 25;
const MAX_TERMS = 8;
const WORDS_BEFORE = 8;
const EXCERPT_WORDS = 36;
/** A heading that contains a word is stronger evidence than one more mention in the text. */
const WEIGHTS = { heading: 12, title: 6, word: 2, mention: 1, maxMentions: 5, wholeWords: 1_000 };

interface IndexedPassage {
  readonly passage: Passage;
  /** Title, heading and text together, as ` word word `. */
  readonly words: string;
  readonly title: string;
  readonly heading: string;
  readonly text: string;
}

/**
 * Finds the passages that contain every word of a query, whole words first, then parts of words. A few hundred passages need no index.
 */
export function createDocsSearch(passages: readonly Passage[]): SearchDocs {
  const indexed = passages.map((passage) => ({
    passage,
    words: padWords(fold(`${passage.title} ${passage.heading ?? ''} ${passage.text}`)),
    title: fold(passage.title),
    // The text before the first heading has the title as its heading.
    heading: fold(passage.heading ?? passage.title),
    text: fold(passage.text),
  }));
  const vocabulary = listWords(indexed);
  return (q) => {
    const terms = splitWords(fold(q)).slice(0, MAX_TERMS);
    const scored = indexed
      .map((entry) => ({ entry, score: scorePassage(entry, terms) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    const hits = scored.slice(0, MAX_HITS).map(({ entry: { passage } }) => ({
      passage,
      excerpt: cutExcerpt(passage.text, terms),
    }));
    const suggestion = hits.length === 0 ? correct(terms, vocabulary) : undefined;
    return { hits, ...(suggestion && { suggestion }) };
  };
}

/** The score of a passage; 0 if a word is missing. */
function scorePassage({ words, title, heading, text }: IndexedPassage, terms: readonly string[]): number {
  let score = terms.length > 0 && terms.every((term) => isWord(term, words)) ? WEIGHTS.wholeWords : 0;
  for (const term of terms) {
    const mentions = Math.min(text.split(term, WEIGHTS.maxMentions + 1).length - 1, WEIGHTS.maxMentions);
    const inHeading = heading.includes(term);
    const inTitle = title.includes(term);
    if (mentions === 0 && !inHeading && !inTitle) return 0;
    if (inHeading) score += heading === term ? 2 * WEIGHTS.heading : WEIGHTS.heading;
    if (inTitle) score += WEIGHTS.title;
    if (isWord(term, words)) score += WEIGHTS.word;
    score += mentions * WEIGHTS.mention;
  }
  return score;
}

/** Reduces a text to letters and digits with single spaces around each word. */
function padWords(folded: string): string {
  return ` ${folded.replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
}

function isWord(term: string, words: string): boolean {
  return words.includes(padWords(term));
}

function cutExcerpt(text: string, terms: readonly string[]): ExcerptWord[] {
  const words = text.split(' ');
  const all = padWords(fold(text));
  const isMatch = (word: string) => {
    const folded = fold(word);
    return terms.some((term) => (isWord(term, all) ? isWord(term, padWords(folded)) : folded.includes(term)));
  };
  const start = Math.max(0, words.findIndex(isMatch) - WORDS_BEFORE);
  return words.slice(start, start + EXCERPT_WORDS).map((word) => ({ text: word, isMatch: isMatch(word) }));
}

/** Replaces each word that occurs nowhere by the most similar word of the documents. Undefined if no word is replaced. */
function correct(terms: readonly string[], vocabulary: ReadonlySet<string>): string | undefined {
  const corrected = terms.map((term) => {
    if (vocabulary.has(term)) return term;
    // Only some words are compared, because comparing with all words would take milliseconds.
    const similar = [...vocabulary].filter((word) => word[0] === term[0] && Math.abs(word.length - term.length) <= 2);
    return findNearest(term, similar) ?? term;
  });
  return corrected.some((term, index) => term !== terms[index]) ? corrected.join(' ') : undefined;
}

function listWords(indexed: readonly IndexedPassage[]): ReadonlySet<string> {
  return new Set(
    indexed
      .flatMap(({ title, heading, text }) => [title, heading, text].flatMap(splitWords))
      .filter((word) => word.length > 2),
  );
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
