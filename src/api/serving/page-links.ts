interface PageOfResults {
  readonly page: number;
  readonly pageSize: number;
  /** Number of results on all pages. */
  readonly total: number;
}

type Parameters = Readonly<Record<string, string | number | undefined>>;

/**
 * The value of the `Link` header (RFC 8288) of a page of results, for a request with these parameters. The targets are relative
 * references that consist of a query only, so they are right behind every proxy, whatever path it adds. All text of the client is
 * percent-encoded. Undefined if the query is so long that the header could exceed the buffer of a proxy.
 */
export function writePageLinks(parameters: Parameters, results: PageOfResults): string | undefined {
  const found = known.get(parameters);
  if (found?.total === results.total) return found.links;
  const links = renderLinks(parameters, results);
  known.set(parameters, { total: results.total, links });
  return links;
}

/** There is one object for a query that clients repeat. Rendering takes thirty times as long as this lookup. */
const known = new WeakMap<Parameters, { readonly total: number; readonly links: string | undefined }>();

function renderLinks(parameters: Parameters, { page, pageSize, total }: PageOfResults): string | undefined {
  const query = writeQuery(parameters);
  if (query.length > MAX_QUERY_LENGTH) return undefined;
  const last = Math.max(1, Math.ceil(total / pageSize));
  const next = page < last ? `<${query}page=${page + 1}>; rel="next", ` : '';
  // Beyond the last page, the previous page is the last page.
  const prev = page > 1 ? `<${query}page=${Math.min(page - 1, last)}>; rel="prev", ` : '';
  return `${next}${prev}<${query}page=1>; rel="first", <${query}page=${last}>; rel="last"`;
}

/** The header has it up to four times. Proxies such as nginx reserve 4 KiB for all headers of a response. */
const MAX_QUERY_LENGTH = 400;

/** Writes the query without its page. */
function writeQuery(parameters: Parameters): string {
  let query = '?';
  for (const name in parameters) {
    const value = parameters[name];
    if (name !== 'page' && value !== undefined) query += `${name}=${encodeURIComponent(value)}&`;
  }
  return query;
}
