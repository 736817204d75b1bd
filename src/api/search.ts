import type { ServerResponse } from 'node:http';
import Type, { type Static } from 'typebox';
import type { QuotedOperation } from '../accounts/charging/operation.ts';
import { fail } from '../base/errors.ts';
import { nameSnapshot } from '../base/version.ts';
import {
  contentTypes,
  type FileFormat,
  parsePage,
  type ResultFile,
  writePage,
} from '../exports/results/result-files.ts';
import type { HttpReply } from '../http/reply.ts';
import type { HttpRequest } from '../http/request.ts';
import { DEFAULT_PAGE, MAX_PAGE, PAGE_DESCRIPTION, SearchParameters, toSearchQuery } from '../search/parameters.ts';
import type { SearchQuery, SearchReply } from '../search/search.ts';
import { component, count, parametersOf } from './fields.ts';
import { type Answer, pageHeaders } from './serving/answers.ts';
import {
  chooseFormat,
  type DataContent,
  dataOperation,
  entityTag,
  FILE_TYPES,
  matchesAny,
  namesTag,
} from './serving/data-operation.ts';
import { type Api, type Call, charge, createRead, type Row } from './serving/operation.ts';
import { EntitySummary, summaryExample } from './summary.ts';

const EntityPage = component('EntityPage', 'One page of search results.', {
  data: Type.Array(EntitySummary),
  meta: Type.Object({
    page: count(`The requested page; ${MAX_PAGE} for every larger one.`, 1, { minimum: 1 }),
    pageSize: count('The requested page size.', 25, { minimum: 1, maximum: 100 }),
    pageCount: count('Number of pages.', 4),
    total: count('Exact number of matching companies.', 87),
  }),
});

const EntitySearchParameters = parametersOf({
  ...SearchParameters.properties,
  page: Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('all')], {
    default: DEFAULT_PAGE,
    errorMessage: `must be a page number in plain digits, 1 or higher, or "all"; omit it for the default, ${DEFAULT_PAGE}`,
    description:
      `${PAGE_DESCRIPTION} With \`all\`, the [whole result](/docs/paging#the-whole-result) is sent as CSV or ` +
      'NDJSON, from one version of the data; `pageSize` is checked, but has no effect. This needs a paid plan and costs one request per ' +
      '100 rows, charged in advance.',
    examples: [DEFAULT_PAGE],
  }),
});

const resultFileTypes: NonNullable<Answer['content']> = {
  [FILE_TYPES.csv]: {
    schema: Type.String({
      description:
        'RFC 4180 in UTF-8 with a byte order mark, lines end with CR LF. The first line has the names of the columns: the ' +
        'fields of `EntitySummary` in their order. Null is an empty cell. A cell that a spreadsheet would run as a formula ' +
        'has an apostrophe in front.',
    }),
    example: writePage('csv', [summaryExample]),
  },
  [FILE_TYPES.ndjson]: {
    schema: Type.String({
      description:
        'One `EntitySummary` per line, in the same bytes as in `data` of the JSON reply. `Accept: application/ndjson` is ' +
        'understood as well.',
    }),
    example: writePage('ndjson', [summaryExample]),
  },
};

type Given = Static<typeof EntitySearchParameters>;

const pages = dataOperation({
  url: '/api/v1/entities',
  operationId: 'searchEntities',
  summary: 'Search companies',
  description:
    'Returns the companies that match all given filters, [sorted by name](/docs/paging#order-of-results) and then by id. ' +
    '`total` is exact on every page. A page after the last one is empty. Unknown parameters are rejected, not ignored. ' +
    '`Accept` chooses the [format](/docs/paging#results-as-files): JSON, CSV or NDJSON.',
  querystring: EntitySearchParameters,
  // A page of the portal shows no whole result.
  formQuery: SearchParameters,
  success: {
    description: 'One page of results, or with `page=all` the whole result.',
    schema: EntityPage,
    files: resultFileTypes,
    headers: ['Link', ...pageHeaders],
  },
  namesSnapshot: true,
  codes: ['plan_required', 'insufficient_quota', 'concurrency_limit_exceeded'],
  version: ({ search }) => search.version(),
  answer:
    ({ search }) =>
    (parameters, { caller, deadline, format }) => {
      const asked = prepare(parameters);
      const found = search.find(asked.query, caller.accountId, deadline);
      const write = ({ version, body, total }: SearchReply): DataContent => {
        if (asked.total !== total) {
          asked.total = total;
          asked.link = writePageLinks(parameters, { ...asked.query, total });
        }
        const { link } = asked;
        return format === 'json' ? { version, body, link } : { ...toFile({ version, body }, format), link };
      };
      return found instanceof Promise ? found.then(write) : write(found);
    },
});

/** A search answers `page=all` with the whole result instead of a page. */
export const search: Row = {
  ...pages,
  serve(api) {
    const served = pages.serve(api);
    const sendAll = createWholeResults(api);
    return {
      ...served,
      handler: (request, reply) => (asksForAll(request) ? sendAll({ request, reply }) : served.handler(request, reply)),
    };
  },
};

/** The query is parsed only if the parameter can be in it, possibly escaped: nearly all requests are for a page. */
function asksForAll(request: HttpRequest): boolean {
  return /all|%/.test(request.search) && (request.query as Readonly<Record<string, unknown>>).page === 'all';
}

/** A query with its latest total and the links for it. Rendering the links takes thirty times as long as finding them here. */
interface Asked {
  readonly query: SearchQuery;
  total?: number;
  link?: string | undefined;
}

/** Returns one object per distinct query, because the parameters of a repeated query are one object too. */
function prepare(given: Given): Asked {
  return prepared.getOrInsertComputed(given, () => ({ query: toQuery(given) }));
}

const prepared = new WeakMap<Given, Asked>();

function toQuery({ page, ...others }: Given): SearchQuery {
  return toSearchQuery(page === undefined || page === 'all' ? others : { ...others, page });
}

/** A page in another format than JSON. The fields of `meta` in JSON become headers. */
function toFile({ version, body }: Pick<SearchReply, 'version' | 'body'>, format: FileFormat): DataContent {
  const { data, meta } = parsePage(body);
  const headers = {
    'x-total-count': String(meta.total),
    'x-page': String(meta.page),
    'x-page-size': String(meta.pageSize),
    'x-page-count': String(meta.pageCount),
  };
  return { version, body: writePage(format, data), headers };
}

/** `total` is the number of results on all pages. */
type PageOfResults = Pick<SearchQuery, 'page' | 'pageSize'> & { readonly total: number };
type LinkParameters = Readonly<Record<string, string | number | undefined>>;

/**
 * The value of the `Link` header (RFC 8288) of a page of results, for a request with these parameters. The targets are relative
 * references that consist of a query only, so they are right behind every proxy, whatever path it adds. All text of the client is
 * percent-encoded. Undefined if the query is so long that the header could exceed the buffer of a proxy.
 */
export function writePageLinks(
  parameters: LinkParameters,
  { page, pageSize, total }: PageOfResults,
): string | undefined {
  let query = '?';
  for (const name in parameters) {
    const value = parameters[name];
    if (name !== 'page' && value !== undefined) query += `${name}=${encodeURIComponent(value)}&`;
  }
  if (query.length > MAX_QUERY_LENGTH) return undefined;
  const last = Math.max(1, Math.ceil(total / pageSize));
  const next = page < last ? `<${query}page=${page + 1}>; rel="next", ` : '';
  // Beyond the last page, the previous page is the last page.
  const prev = page > 1 ? `<${query}page=${Math.min(page - 1, last)}>; rel="prev", ` : '';
  return `${next}${prev}<${query}page=1>; rel="first", <${query}page=${last}>; rel="last"`;
}

/** The `Link` header contains the query up to four times. Proxies such as nginx reserve 4 KiB for all headers of a response. */
const MAX_QUERY_LENGTH = 400;

type WholeGiven = Given & { readonly format: FileFormat };

/** Answers `page=all` with the whole result, or with 304 if the client has named its tag. */
function createWholeResults(api: Api): (call: Call) => void {
  const { resultFiles, version: serviceVersion } = api;
  const read = createRead<Given>({ querystring: EntitySearchParameters });

  const operation: QuotedOperation<Call, WholeGiven, ResultFile> = {
    price: 'quoted',
    plan: 'paid',
    planMessage: 'The whole result needs a paid plan, and the account is on the free plan: upgrade, or request pages.',
    read: ({ request }) => ({ ...read(request), format: chooseFileFormat(request) }),
    quote({ format, ...given }, { input: { request, reply }, caller, deadline }, sell) {
      const { url, headers } = request;
      const isKnown = (version: string) =>
        namesTag(headers['if-none-match'], entityTag(serviceVersion, version, url, format));
      const file = { caller, query: toQuery(given), format, deadline, response: reply.raw, isKnown };
      return resultFiles.quote(wantsHeaders(request) ? { ...file, maxRows: 0 } : file, sell);
    },
  };

  function send(file: ResultFile, { request, reply }: Call): HttpReply | undefined | Promise<number> {
    const { version, format, total } = file;
    reply.mustRevalidate().header('etag', entityTag(serviceVersion, version, request.url, format));
    if (file.isKnown) return reply.code(304).send();
    const snapshot = nameSnapshot(serviceVersion, version);
    reply.type(contentTypes[format]).headers({ 'x-data-version': snapshot, 'x-total-count': String(total) });
    // Sent without a length, because the length of the file is not known in advance.
    if (wantsHeaders(request)) return reply.code(hasAny(request) ? 304 : 200).send(null);
    let delivery: Promise<number> | undefined;
    const deliver = (response: ServerResponse) => {
      delivery = resultFiles.deliver(file, response);
    };
    reply.send(deliver).finish();
    return delivery;
  }

  return (call) => charge(api, operation, call, send);
}

/** Headers alone cost one request. `If-None-Match: *` does not show that the client has the result, so it costs as much as HEAD. */
function wantsHeaders(request: HttpRequest): boolean {
  return request.method === 'HEAD' || hasAny(request);
}

function hasAny({ headers }: HttpRequest): boolean {
  return matchesAny(headers['if-none-match'] ?? '');
}

/** The whole result is never JSON: clients parse JSON as one value, so they would have to hold all of it. */
function chooseFileFormat({ headers }: HttpRequest): FileFormat {
  const format = chooseFormat(headers.accept);
  if (format !== 'json') return format;
  const { csv, ndjson } = FILE_TYPES;
  throw fail('invalid_request', {
    message: `The whole result is not available as JSON: send "Accept: ${csv}" or "Accept: ${ndjson}", or request pages.`,
  });
}
