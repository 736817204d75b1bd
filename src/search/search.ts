import type { ActivityType } from '../core/search-keys.ts';
import type { Choices } from './choices.ts';
import type { SearchIndex } from './memory/search-index.ts';

/**
 * Search: a fragment of name or number, filters, exact totals, any page. This folder owns the meaning of a query and two
 * engines that answer it alike: the index in memory (`keeper.ts` holds the current one, `build.ts` makes it, `engine.ts`
 * asks it) and SQL (`postgres.ts`). It does not own the records.
 */
export interface Search {
  /** Resolves when answers come from the data that is in the store now. */
  refresh(): Promise<void>;
  /** Begins to follow the data by itself. */
  start(): void;
  /** Which data an answer given now would come from. Changes with every import. */
  version(): string | Promise<string>;
  find(query: SearchQuery): SearchReply | Promise<SearchReply>;
  /** What the filters can be set to. May be of the data just before, and may take long for the first who asks. */
  listChoices(): Promise<Choices>;
  /** Whether there is something to answer from. */
  isReady(): boolean;
  /** Where there is an index in memory: tells of it, now and whenever another takes its place. */
  onIndex?(listener: (index: SearchIndex) => void): void;
  close(): Promise<void>;
}

export interface SearchQuery {
  /** As the client wrote it; '' is no filter. */
  readonly q: string;
  /** Upper case. */
  readonly country: string | undefined;
  readonly legalForm: string | undefined;
  readonly activity: string | undefined;
  readonly activityType: ActivityType;
  readonly page: number;
  readonly pageSize: number;
}

export interface SearchReply {
  readonly version: string;
  /** `{ data: [EntitySummary…], meta }` as JSON, in UTF-8. */
  readonly body: Uint8Array;
}

/** Written alike by both engines. */
export function renderMeta({ page, pageSize }: SearchQuery, total: number): string {
  return `{"page":${page},"pageSize":${pageSize},"pageCount":${Math.ceil(total / pageSize)},"total":${total}}`;
}
