import type { ActivityType } from '../base/search-keys.ts';
import type { Deadline } from '../base/system/deadline.ts';
import { type FormFilter, type FormValues, findForms } from '../registers/classifications/elf.ts';
import { type Choice, type Choices, type FacetName, type Facets, facetFields } from './choices.ts';
import type { CandidateSource } from './match/matching.ts';
import type { IndexState } from './memory/overlay.ts';

/**
 * Search by a fragment of a name or number, with filters, exact totals and any page. This folder owns what a query
 * means (`parameters.ts`, `choices.ts`) and the two engines that answer it with the same results: an index in memory
 * (`memory/`) and ClickHouse (`clickhouse/`). It does not own the records.
 */
export interface Search {
  /** Resolves when answers come from the data that is in the store now. */
  refresh(): Promise<void>;
  /** Starts to follow the data. */
  start(): void;
  /** The version of the data that is searched now. Throws `service_unavailable` until search is ready. */
  version(): string | Promise<string>;
  /**
   * Throws `service_unavailable` until ready. ClickHouse runs a bounded number of searches per account at the same time and stops a
   * search at its deadline.
   */
  find(query: SearchQuery, account?: string, deadline?: Deadline): SearchReply | Promise<SearchReply>;
  /**
   * Passes the whole result to `use`. All of it comes from one version of the data, which is held until `use` returns, whatever
   * imports do meanwhile. Throws like `find`. The deadline is for the time until `use` is called.
   */
  readAll<T>(
    query: SearchQuery,
    use: (result: WholeResult) => Promise<T>,
    account?: string,
    deadline?: Deadline,
  ): Promise<T>;
  /** The values that filters can take. They may lag behind the data by one import, and the first call may take long. */
  listChoices(): Promise<Choices>;
  /** The companies that a name may mean. Throws like `find`. */
  readonly candidates: CandidateSource;
  /**
   * How many results each value of a filter leads to: the number of results of the query with this value in place of the query's own
   * value for the filter. The counts are exact. Throws like `find`.
   */
  countFacets(query: SearchQuery, account?: string, deadline?: Deadline): Promise<Facets>;
  /** Only with an index in memory: corrects the words of a query that finds nothing. Undefined if there is no correction. */
  correct?(q: string): string | undefined;
  /** Whether search can answer. */
  isReady(): boolean;
  /** Only with an index in memory: calls the listener with the current state of the index and with each state that replaces it. */
  onIndex?(listener: (state: IndexState) => void): void;
  /** Only in the thread that keeps the index up to date: describes the served state, for the metrics. */
  readFigures?(): IndexFigures | undefined;
  close(): Promise<void>;
}

export interface IndexFigures {
  readonly version: string;
  readonly entities: number;
  /** The documents that the overlay adds or hides; in ClickHouse, the rows that are not current. */
  readonly overlayDocuments: number;
  readonly segments: number;
  readonly bytes: number;
  /** Only in ClickHouse: how many imports are not published yet. */
  readonly behind?: number;
  /** How long the last build, update and fold took. */
  readonly seconds: { build?: number; update?: number; fold?: number };
}

/** Sorts by name, the newest first, or the best hits of `words` first. Documents that are equal in this respect are sorted by name. */
export const sortOrders = ['name', '-registeredAt', '-updatedAt', 'relevance'] as const;
export type SortOrder = (typeof sortOrders)[number];

export interface SearchQuery {
  /** The text as the client wrote it; '' matches everything. */
  readonly q: string;
  /** The text as the client wrote it. A text without words, such as '', matches everything. */
  readonly words: string;
  /** Upper case. */
  readonly country: string | undefined;
  readonly register: string | undefined;
  /** Upper case. */
  readonly jurisdiction: string | undefined;
  readonly status: string | undefined;
  readonly legalForm: string | undefined;
  readonly legalFormCode: string | undefined;
  /** ELF codes in upper case, separated by commas. */
  readonly elf: string | undefined;
  /** Classes, separated by commas. */
  readonly legalFormClass: string | undefined;
  readonly activity: string | undefined;
  readonly activityType: ActivityType;
  /** ISIC codes, separated by commas; letters are in upper case. */
  readonly isic: string | undefined;
  /** Days such as `2024-01-31`, both included. */
  readonly registeredFrom: string | undefined;
  readonly registeredTo: string | undefined;
  readonly sort: SortOrder;
  readonly page: number;
  readonly pageSize: number;
}

export interface SearchReply {
  readonly version: string;
  /** Number of results on all pages. */
  readonly total: number;
  /** `{ data: [EntitySummary…], meta }` as JSON in UTF-8. */
  readonly body: Uint8Array;
}

export interface WholeResult {
  readonly version: string;
  readonly total: number;
  /** Reads the first `limit` results in their order, in parts of bounded size. Nothing is read ahead. */
  read(limit: number): Iterable<ResultLines> | AsyncIterable<ResultLines>;
}

export interface ResultLines {
  readonly rows: number;
  /** One EntitySummary per line, as JSON in UTF-8. `data` of a reply has these bytes, too. */
  readonly lines: Uint8Array;
}

/** How many results are read at once from a whole result: some 60 kB of JSON. This bounds the time that other requests wait. */
export const ROWS_PER_READ = 200;

/** The error that an engine throws until it is ready. */
export const NOT_READY = { message: 'Search is starting: try again shortly.', retryAfter: 1 } as const;

/** The error of a search in ClickHouse that was stopped at its deadline. */
export const TOO_SLOW = {
  message: 'This search takes too long: use a longer or rarer q, more filters or an earlier page.',
  retryAfter: 1,
} as const;

/** Renders `meta`. Both engines use it, so that their replies have the same bytes. */
export function renderMeta({ page, pageSize }: SearchQuery, total: number): string {
  return `{"page":${page},"pageSize":${pageSize},"pageCount":${Math.ceil(total / pageSize)},"total":${total}}`;
}

/** Counts the values of these fields in all results of a query. */
type CountValues = (query: SearchQuery, names: readonly FacetName[]) => Promise<Partial<Facets>>;

/** A filter of the query itself would leave one value of its field, so this field is counted without it. */
export async function countFacets(query: SearchQuery, count: CountValues): Promise<Facets> {
  const names = Object.keys(facetFields) as FacetName[];
  const open = names.filter((name) => query[name] === undefined);
  const facets: Partial<Record<FacetName, readonly Choice[]>> = {};
  if (open.length > 0) Object.assign(facets, await count(query, open));
  for (const name of names) {
    if (!open.includes(name)) Object.assign(facets, await count({ ...query, [name]: undefined }, [name]));
  }
  return facets as Facets;
}

/** The filters on values that are derived from the legal form. Each filter is a list separated by commas. */
export type FormQuery = Pick<SearchQuery, 'elf' | 'legalFormClass'>;

export function readFormFilter({ elf, legalFormClass }: FormQuery): FormFilter | undefined {
  if (elf === undefined && legalFormClass === undefined) return undefined;
  return { elf: elf?.split(','), legalFormClass: legalFormClass?.split(',') };
}

/** The national forms that the filters select, only of the query's register if the query has a register. Undefined without these filters. */
export function listForms(query: FormQuery & Pick<SearchQuery, 'register'>): readonly FormValues[] | undefined {
  const filter = readFormFilter(query);
  if (filter === undefined) return undefined;
  const forms = findForms(filter);
  return query.register === undefined ? forms : forms.filter(({ register }) => register === query.register);
}
