/** Client of the Firmament API. It needs nothing but `fetch`, and runs in Node, Deno, Bun, browsers and edge runtimes. */
export type { ChangeQuery, Changes } from './changes.ts';
export { type Client, createClient } from './client.ts';
export * from './errors.ts';
export * from './generated/errors.ts';
export type * from './generated/operations.ts';
export type * from './generated/types.ts';
export type { Limit, Limits } from './limits.ts';
export type { MatchAllOptions, MatchResult } from './match.ts';
export type { EditedMonitor, Monitors } from './monitors.ts';
export type { CallOptions, ClientOptions } from './options.ts';
export type { OperationId } from './request.ts';
export type { SearchOptions, SearchQuery, SearchResults } from './search.ts';
export type { WebhookEndpoints } from './webhook-endpoints.ts';
export { InvalidWebhook, verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.ts';
