import type { CkanResource } from '../registers/fetch-plan.ts';
import { SourceProblem, showAddress } from './problem.ts';

/** Finds addresses in what a publisher answers: text in, addresses out. */

/** The newest link of a page whose address matches, or the links to all parts of the newest file. */
export function selectLinks(html: string, page: URL, pattern: RegExp): URL[] {
  const links = Array.from(html.matchAll(HREF), ([, double, single, bare]) => {
    return URL.parse(decodeEntities(double ?? single ?? bare ?? ''), page.href);
  }).filter((link) => link !== null);
  const newest = findNewest(links, ({ href }) => [href], pattern);
  if (newest === undefined)
    throw new SourceProblem(`${showAddress(page)} has no link to a file like ${describe(pattern)}`, 'moved');
  return pattern.exec(newest.href)?.groups?.part === undefined ? [newest] : selectParts(links, newest, page, pattern);
}

/** In their order. A page may lack some for a moment, while the publisher replaces them. */
function selectParts(links: readonly URL[], newest: URL, page: URL, pattern: RegExp): URL[] {
  const read = ({ href }: URL) => {
    const { part, ...whole } = pattern.exec(href)?.groups ?? {};
    return { part: Number(part), whole: JSON.stringify(whole) };
  };
  const { whole } = read(newest);
  const count = Number(pattern.exec(newest.href)?.groups?.of);
  const parts = new Map(links.filter((link) => read(link).whole === whole).map((link) => [read(link).part, link]));
  const found = Array.from({ length: count }, (_, index) => parts.get(index + 1));
  const missing = found.indexOf(undefined);
  if (missing === -1) return found as URL[];
  throw new SourceProblem(`${showAddress(page)} has no link to part ${missing + 1} of ${count}`, 'look', {
    retry: true,
  });
}

const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

function decodeEntities(text: string): string {
  return text.trim().replaceAll('&amp;', '&').replaceAll('&#38;', '&');
}

/** The name of the newest package in the response to a search. */
export function selectPackage(answer: string, address: URL, pattern: RegExp): string {
  const { results } = readResult(answer, address) as { results?: unknown };
  const names = (Array.isArray(results) ? results : []).map((found) => readText(found, 'name') ?? '');
  const newest = findNewest(names, (name) => [name], pattern);
  if (newest !== undefined) return newest;
  throw new SourceProblem(`${address.host} has no data set with a name like ${describe(pattern)}`, 'moved');
}

/** The addresses of the wanted resources of a package, in the wanted order. */
export function selectResources(answer: string, address: URL, wanted: readonly CkanResource[]): URL[] {
  const { resources } = readResult(answer, address) as { resources?: unknown };
  const offered = (Array.isArray(resources) ? resources : []).map((resource) => ({
    name: readText(resource, 'name') ?? '',
    url: readText(resource, 'url') ?? '',
  }));
  return wanted.flatMap(({ match, optional }) => {
    const newest = findNewest(offered, ({ name, url }) => [name, url], match);
    const url = newest === undefined ? null : URL.parse(newest.url);
    if (url !== null) return secure(url);
    if (optional) return [];
    throw new SourceProblem(`the data set at ${address.host} has no file like ${describe(match)}`, 'moved');
  });
}

/** Many portals still write the addresses of their own files with http, and answer them with a redirect to https. */
function secure(url: URL): URL {
  return url.protocol === 'http:' ? new URL(url.href.replace(/^http:/, 'https:')) : url;
}

function readResult(answer: string, address: URL): object {
  const result = Reflect.get(Object(readJson(answer, address)), 'result');
  if (typeof result === 'object' && result !== null) return result;
  throw new SourceProblem(`${address.host} answered without a result`, 'look');
}

/** The address at a path in a JSON response. It may be missing for a moment, while the publisher creates the file. */
export function selectAddress(answer: string, address: URL, path: readonly (string | number)[]): URL {
  let value = readJson(answer, address);
  for (const key of path) value = Reflect.get(Object(value), key);
  const url = typeof value === 'string' ? URL.parse(value) : null;
  if (url !== null) return url;
  throw new SourceProblem(`the response of ${address.host} has no address of a file at ${path.join('.')}`, 'look', {
    retry: true,
  });
}

function readJson(answer: string, address: URL): unknown {
  try {
    return JSON.parse(answer);
  } catch (error) {
    const what = /^\s*</.test(answer) ? 'a page instead of data' : 'text that is not JSON';
    throw new SourceProblem(`${address.host} answered with ${what}`, 'look', { cause: error });
  }
}

function readText(object: unknown, key: string): string | undefined {
  const value = Reflect.get(Object(object), key);
  return typeof value === 'string' ? value : undefined;
}

/** The matching item with the latest date; of several without a date, the last one. */
function findNewest<T>(items: readonly T[], read: (item: T) => readonly string[], pattern: RegExp): T | undefined {
  let newest: { item: T; date: string } | undefined;
  for (const item of items) {
    const match = read(item)
      .map((text) => pattern.exec(text))
      .find((found) => found !== null);
    if (match === undefined || match === null) continue;
    const { year = '', month = '', day = '' } = match.groups ?? {};
    const date = `${year}${month}${day}`;
    if (newest === undefined || date >= newest.date) newest = { item, date };
  }
  return newest?.item;
}

function describe(pattern: RegExp): string {
  return pattern.source.replace(/\(\?<(\w+)>[^)]*\)/g, '<$1>').replace(/[\\^$]/g, '');
}
