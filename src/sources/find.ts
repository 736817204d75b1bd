import type { DownloadPlan, FetchPlan } from '../registers/fetch-plan.ts';
import { SourceProblem } from './problem.ts';
import { type Connection, probe, readPage } from './requests.ts';
import { NOT_FOUND, OK } from './responses.ts';
import { selectAddress, selectLinks, selectPackage, selectResources } from './select.ts';

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
        links.push(...(await readPage(address, (html) => selectLinks(html, address, link), connection)));
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
    const locate = () => readPage(request, select, connection);
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

/** The import recognizes some files, and the date of others, by their names. So each keeps the name it is published under. */
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

/** No path, no hidden file, no character that a shell or a terminal could interpret. */
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
      writeMonth(file, new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back))),
    );
    const [first] = urls;
    if (first !== undefined && (await exists(first, connection))) return urls;
  }
  const { host } = new URL(files[0] ?? '');
  throw new SourceProblem(`${host} has no files of the last ${months} months`, 'moved');
}

export function writeMonth(template: string, month: Date): URL {
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
    found.push(...(await readPage(address, (answer) => selectResources(answer, address, resources), connection)));
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
  return readPage(address, (answer) => selectPackage(answer, address, name), connection);
}
