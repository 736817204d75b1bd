import type { CkanResource, DownloadPlan, FetchPlan } from '../../registers/fetch-plan.ts';
import { SourceProblem, showAddress } from './problem.ts';
import { type Connection, fetchPage, NOT_FOUND, OK, probe } from './requests.ts';

/** A file that a publisher offers. */
export interface OfferedFile {
  /** The address, or for a temporary address, the request that returns it. */
  readonly id: string;
  readonly name: string;
  locate(): Promise<URL>;
}

/** Finds the newest files of a register. */
export async function findFiles(plan: FetchPlan, connection: Connection): Promise<OfferedFile[]> {
  switch (plan.kind) {
    case 'fixed':
      return nameFiles(plan.files.map(({ url, name }) => offer(new URL(url), name)));
    case 'dated':
      return offerAddresses(await findMonth(plan, connection));
    case 'page': {
      const links: URL[] = [];
      for (const { page, link } of plan.pages) {
        const address = new URL(page);
        links.push(...(await fetchPage(address, (html) => selectLinks(html, address, link), connection)));
      }
      return offerAddresses(links);
    }
    case 'ckan':
      return offerAddresses(await findResources(plan, connection));
    case 'api':
      return nameFiles(await findNamed(plan, connection));
    case 'manual':
      return [];
  }
}

async function findNamed(
  { requests, paths, temporary }: Extract<DownloadPlan, { kind: 'api' }>,
  connection: Connection,
): Promise<OfferedFile[]> {
  const offers: OfferedFile[] = [];
  for (const { url, name } of requests) {
    const request = new URL(url);
    const select = (answer: string) => paths.map(({ keys }) => selectAddress(answer, request, keys));
    const locate = () => fetchPage(request, select, connection);
    if (temporary) offers.push({ ...offer(request, name), locate: async () => (await locate())[0] as URL });
    else offers.push(...(await locate()).map((address) => offer(address, name)));
  }
  return offers;
}

export function offerAddresses(urls: readonly URL[]): OfferedFile[] {
  return nameFiles(urls.map((url) => offer(url)));
}

function offer(url: URL, name = decodeName(url)): OfferedFile {
  return { id: url.href, name, locate: async () => url };
}

/** The import recognizes some files, and the date of others, by their names. So each file keeps the name under which it is published. */
function nameFiles(files: readonly OfferedFile[]): OfferedFile[] {
  const taken = new Set<string>();
  return files.map((file, index) => {
    const published = cleanName(file.name);
    const unique = published === '' || taken.has(published) ? `${index + 1}-${published || 'file'}` : published;
    taken.add(unique);
    return { ...file, name: unique };
  });
}

function decodeName({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** A name without a path, a leading dot, or characters that a shell or a terminal could interpret. */
function cleanName(name: string): string {
  return name
    .replace(/[^\p{L}\p{N}._()-]+/gu, '_')
    .slice(-150)
    .replace(/^[._]+/, '');
}

/** The addresses of the newest month that is published. */
async function findMonth(
  { files, months }: Extract<DownloadPlan, { kind: 'dated' }>,
  connection: Connection,
): Promise<URL[]> {
  const now = new Date(connection.clock.now());
  for (let back = 0; back < months; back++) {
    const urls = files.map((file) =>
      fillMonth(file, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back))),
    );
    const [first] = urls;
    if (first !== undefined && (await probe(first, {}, [OK, NOT_FOUND], connection)) === OK) return urls;
  }
  const { host } = new URL(files[0] ?? '');
  throw new SourceProblem(`${host} has no files of the last ${months} months`, 'moved');
}

export function fillMonth(template: string, month: Date): URL {
  const [year = '', number = ''] = month.toISOString().split('-');
  return new URL(template.replaceAll('{year}', year).replaceAll('{month}', number));
}

async function findResources(
  { api, packages }: Extract<DownloadPlan, { kind: 'ckan' }>,
  connection: Connection,
): Promise<URL[]> {
  const ask = <T>(address: URL, select: (answer: string, address: URL) => T) =>
    fetchPage(address, (answer) => select(answer, address), connection);
  const found: URL[] = [];
  for (const { package: wanted, resources } of packages) {
    let name = wanted;
    if (typeof name !== 'string') {
      const { query, name: pattern } = name;
      const search = new URLSearchParams({ q: query, sort: 'metadata_created desc', rows: '20' });
      name = await ask(new URL(`${api}/package_search?${search}`), (...answer) => selectPackage(...answer, pattern));
    }
    const address = new URL(`${api}/package_show?id=${encodeURIComponent(name)}`);
    found.push(...(await ask(address, (...answer) => selectResources(...answer, resources))));
  }
  return found;
}

/** Finds addresses in the response of a publisher: text in, addresses out. */

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

/** The links to all parts, in the order of the parts. A page may lack parts for a moment, while the publisher replaces them. */
function selectParts(links: readonly URL[], newest: URL, page: URL, pattern: RegExp): URL[] {
  const wholeOf = ({ href }: URL) => JSON.stringify({ ...pattern.exec(href)?.groups, part: undefined });
  const parts = links.filter((link) => wholeOf(link) === wholeOf(newest));
  const count = Number(pattern.exec(newest.href)?.groups?.of);
  return Array.from({ length: count }, (_, index) => {
    const found = parts.find(({ href }) => Number(pattern.exec(href)?.groups?.part) === index + 1);
    if (found !== undefined) return found;
    const message = `${showAddress(page)} has no link to part ${index + 1} of ${count}`;
    throw new SourceProblem(message, 'look', { retry: true });
  });
}

const HREF = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi;

function decodeEntities(text: string): string {
  return text.trim().replaceAll('&amp;', '&').replaceAll('&#38;', '&');
}

/** The name of the newest package in the response to a search. */
export function selectPackage(answer: string, address: URL, pattern: RegExp): string {
  const names = listTexts(answer, address, 'results').map(({ name }) => name);
  const newest = findNewest(names, (name) => [name], pattern);
  if (newest !== undefined) return newest;
  throw new SourceProblem(`${address.host} has no data set with a name like ${describe(pattern)}`, 'moved');
}

/** The addresses of the wanted resources of a package, in the wanted order. */
export function selectResources(answer: string, address: URL, wanted: readonly CkanResource[]): URL[] {
  const offered = listTexts(answer, address, 'resources');
  return wanted.flatMap(({ match, optional }) => {
    // Many portals still write the addresses of their own files with http, and redirect such requests to https.
    const href = findNewest(offered, ({ name, url }) => [name, url], match)?.url.replace(/^http:/, 'https:');
    const url = URL.parse(href ?? '');
    if (url !== null) return url;
    if (optional) return [];
    throw new SourceProblem(`the data set at ${address.host} has no file like ${describe(match)}`, 'moved');
  });
}

/** The names and addresses in a list of the API of CKAN. */
function listTexts(answer: string, address: URL, list: 'results' | 'resources'): { name: string; url: string }[] {
  const items: unknown = findAt(parseJson(answer, address), ['result', list]);
  if (!Array.isArray(items)) throw new SourceProblem(`${address.host} answered without a result`, 'look');
  return items.map((item) => ({ name: findText(item, ['name']), url: findText(item, ['url']) }));
}

type Path = readonly (string | number)[];

function findText(value: unknown, path: Path): string {
  const found = findAt(value, path);
  return typeof found === 'string' ? found : '';
}

function findAt(value: unknown, path: Path): unknown {
  return path.reduce((found, key) => Reflect.get(Object(found), key), value);
}

/** The address at a path in a JSON response. The address may be missing for a moment, while the publisher creates the file. */
export function selectAddress(answer: string, address: URL, path: Path): URL {
  const url = URL.parse(findText(parseJson(answer, address), path));
  if (url !== null) return url;
  throw new SourceProblem(`the response of ${address.host} has no address of a file at ${path.join('.')}`, 'look', {
    retry: true,
  });
}

function parseJson(answer: string, address: URL): unknown {
  try {
    return JSON.parse(answer);
  } catch (error) {
    const what = /^\s*</.test(answer) ? 'a page instead of data' : 'text that is not JSON';
    throw new SourceProblem(`${address.host} answered with ${what}`, 'look', { cause: error });
  }
}

/** The matching item with the latest date; of several items without a date, the last item. */
function findNewest<T>(items: readonly T[], textsOf: (item: T) => readonly string[], pattern: RegExp): T | undefined {
  let newest: { item: T; date: string } | undefined;
  for (const item of items) {
    const match = textsOf(item)
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
