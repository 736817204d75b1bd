import type { CkanResource, DownloadPlan, FetchPlan } from '../../registers/fetch-plan.ts';
import { SourceProblem, showAddress } from './problem.ts';
import { type Connection, fetchPage, NOT_FOUND, OK, probe } from './requests.ts';

/** A file that a publisher offers. */
export interface OfferedFile {
  /** The address, or for a temporary address, the request that returns it. */
  readonly id: string;
  readonly name: string;
  /** Returns the address to download from. */
  locate(): Promise<URL>;
}

/** Finds the newest files of a register. */
export async function findFiles(plan: FetchPlan, connection: Connection): Promise<OfferedFile[]> {
  switch (plan.kind) {
    case 'fixed':
      return nameFiles(plan.files.map(({ url, name }) => offer(new URL(url), name)));
    case 'dated':
      return nameFiles((await findMonth(plan, connection)).map((url) => offer(url)));
    case 'page': {
      const links: URL[] = [];
      for (const { page, link } of plan.pages) {
        const address = new URL(page);
        links.push(...(await fetchPage(address, (html) => selectLinks(html, address, link), connection)));
      }
      return nameFiles(links.map((url) => offer(url)));
    }
    case 'ckan':
      return nameFiles((await findResources(plan, connection)).map((url) => offer(url)));
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
    else for (const address of await locate()) offers.push(offer(address, name));
  }
  return offers;
}

/** The files at the addresses that the operator set. */
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
    if (first !== undefined && (await exists(first, connection))) return urls;
  }
  const { host } = new URL(files[0] ?? '');
  throw new SourceProblem(`${host} has no files of the last ${months} months`, 'moved');
}

export function fillMonth(template: string, month: Date): URL {
  const [year = '', number = ''] = month.toISOString().split('-');
  return new URL(template.replaceAll('{year}', year).replaceAll('{month}', number));
}

async function exists(url: URL, connection: Connection): Promise<boolean> {
  return (await probe(url, {}, [OK, NOT_FOUND], connection)) === OK;
}

async function findResources(
  { api, packages }: Extract<DownloadPlan, { kind: 'ckan' }>,
  connection: Connection,
): Promise<URL[]> {
  const found: URL[] = [];
  for (const { package: wanted, resources } of packages) {
    const name = typeof wanted === 'string' ? wanted : await findPackage(api, wanted, connection);
    const address = new URL(`${api}/package_show?id=${encodeURIComponent(name)}`);
    found.push(...(await fetchPage(address, (answer) => selectResources(answer, address, resources), connection)));
  }
  return found;
}

async function findPackage(
  api: string,
  { query, name }: { query: string; name: RegExp },
  connection: Connection,
): Promise<string> {
  const search = new URLSearchParams({ q: query, sort: 'metadata_created desc', rows: '20' });
  const address = new URL(`${api}/package_search?${search}`);
  return fetchPage(address, (answer) => selectPackage(answer, address, name), connection);
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
  const parseLink = ({ href }: URL) => {
    const { part, ...whole } = pattern.exec(href)?.groups ?? {};
    return { part: Number(part), whole: JSON.stringify(whole) };
  };
  const { whole } = parseLink(newest);
  const count = Number(pattern.exec(newest.href)?.groups?.of);
  const parts = new Map(
    links.filter((link) => parseLink(link).whole === whole).map((link) => [parseLink(link).part, link]),
  );
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
  const { results } = parseResult(answer, address) as { results?: unknown };
  const names = (Array.isArray(results) ? results : []).map((found) => findText(found, 'name') ?? '');
  const newest = findNewest(names, (name) => [name], pattern);
  if (newest !== undefined) return newest;
  throw new SourceProblem(`${address.host} has no data set with a name like ${describe(pattern)}`, 'moved');
}

/** The addresses of the wanted resources of a package, in the wanted order. */
export function selectResources(answer: string, address: URL, wanted: readonly CkanResource[]): URL[] {
  const { resources } = parseResult(answer, address) as { resources?: unknown };
  const offered = (Array.isArray(resources) ? resources : []).map((resource) => ({
    name: findText(resource, 'name') ?? '',
    url: findText(resource, 'url') ?? '',
  }));
  return wanted.flatMap(({ match, optional }) => {
    const newest = findNewest(offered, ({ name, url }) => [name, url], match);
    const url = newest === undefined ? null : URL.parse(newest.url);
    if (url !== null) return secure(url);
    if (optional) return [];
    throw new SourceProblem(`the data set at ${address.host} has no file like ${describe(match)}`, 'moved');
  });
}

/** Many portals still write the addresses of their own files with http, and redirect such requests to https. */
function secure(url: URL): URL {
  return url.protocol === 'http:' ? new URL(url.href.replace(/^http:/, 'https:')) : url;
}

function parseResult(answer: string, address: URL): object {
  const result = Reflect.get(Object(parseJson(answer, address)), 'result');
  if (typeof result === 'object' && result !== null) return result;
  throw new SourceProblem(`${address.host} answered without a result`, 'look');
}

/** The address at a path in a JSON response. The address may be missing for a moment, while the publisher creates the file. */
export function selectAddress(answer: string, address: URL, path: readonly (string | number)[]): URL {
  let value = parseJson(answer, address);
  for (const key of path) value = Reflect.get(Object(value), key);
  const url = typeof value === 'string' ? URL.parse(value) : null;
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

function findText(object: unknown, key: string): string | undefined {
  const value = Reflect.get(Object(object), key);
  return typeof value === 'string' ? value : undefined;
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
