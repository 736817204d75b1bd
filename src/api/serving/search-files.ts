import Type, { type Static } from 'typebox';
import { type FileFormat, parsePage, writePage } from '../../exports/results/formats.ts';
import type { Answer } from '../../http/route.ts';
import { DEFAULT_PAGE, PAGE_DESCRIPTION, SearchParameters, toSearchQuery } from '../../search/parameters.ts';
import type { SearchQuery, SearchReply } from '../../search/search.ts';
import { FILE_TYPES } from './accept.ts';
import type { DataContent } from './data-operation.ts';

/** The parameters of a search in the API, where `page` can also be `all`. */
export const EntitySearchParameters = Type.Object(
  {
    ...SearchParameters.properties,
    page: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('all')], {
        default: DEFAULT_PAGE,
        errorMessage: `must be a page number in plain digits, 1 or higher, or "all"; omit it for the default, ${DEFAULT_PAGE}`,
        description:
          `${PAGE_DESCRIPTION} With \`all\`, the [whole result](/docs/paging#the-whole-result) is sent as CSV or ` +
          'NDJSON, from one version of the data; `pageSize` is checked, but has no effect. This needs a paid plan and costs one request per ' +
          '100 rows, charged in advance.',
        examples: [DEFAULT_PAGE],
      }),
    ),
  },
  { additionalProperties: false },
);

type Given = Static<typeof EntitySearchParameters>;

/** Returns the same object for the same parameters: there is one object for a query that clients repeat. */
export function readQuery(given: Given): SearchQuery {
  return known.getOrInsertComputed(given, ({ page, ...others }) =>
    toSearchQuery(page === undefined || page === 'all' ? others : { ...others, page }),
  );
}

const known = new WeakMap<Given, SearchQuery>();

/** A page in another format than JSON. What JSON has in `meta` is in headers. */
export function toFile({ version, body }: Pick<SearchReply, 'version' | 'body'>, format: FileFormat): DataContent {
  const { data, meta } = parsePage(body);
  const headers = {
    'x-total-count': String(meta.total),
    'x-page': String(meta.page),
    'x-page-size': String(meta.pageSize),
    'x-page-count': String(meta.pageCount),
  };
  return { version, body: writePage(format, data), headers };
}

/** As the contract describes them. */
export const resultFileTypes: NonNullable<Answer['content']> = {
  [FILE_TYPES.csv]: {
    schema: Type.String({
      description:
        'RFC 4180 in UTF-8 with a byte order mark, lines end with CR LF. The first line has the names of the columns: the ' +
        'fields of `EntitySummary` in their order. Null is an empty cell. A cell that a spreadsheet would run as a formula ' +
        'has an apostrophe in front.',
    }),
    example:
      '\ufeffid,countryCode,register,registrationNumber,canonicalName,status,legalForm,city,registeredAt,updatedAt,isic,' +
      'elf,legalFormClass\r\n' +
      '8cfb7733-0cb1-511b-8310-bbbf2455fb10,GB,gb,00000001,ALPHA LTD,active,Private Limited Company,LONDON,2019-04-01,' +
      '2026-11-15T20:25:28.409Z,2819,H0PO,limited_company\r\n',
  },
  [FILE_TYPES.ndjson]: {
    schema: Type.String({
      description:
        'One `EntitySummary` per line, in the same bytes as in `data` of the JSON reply. `Accept: application/ndjson` is ' +
        'understood as well.',
    }),
    example:
      '{"id":"8cfb7733-0cb1-511b-8310-bbbf2455fb10","countryCode":"GB","register":"gb","registrationNumber":"00000001",' +
      '"canonicalName":"ALPHA LTD","status":"active","legalForm":"Private Limited Company","city":"LONDON",' +
      '"registeredAt":"2019-04-01","updatedAt":"2026-11-15T20:25:28.409Z","isic":"2819","elf":"H0PO",' +
      '"legalFormClass":"limited_company"}\n',
  },
};
