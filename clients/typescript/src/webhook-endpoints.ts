import type {
  CreatedWebhookEndpoint,
  NewWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointChange,
} from './generated/types.ts';
import type { CallOptions } from './options.ts';
import type { OperationId } from './request.ts';
import type { Transport } from './transport.ts';

/** The webhook endpoints of the account, with a session or an API key, which needs the right to manage for changes. */
export interface WebhookEndpoints {
  list(options?: CallOptions): Promise<WebhookEndpoint[]>;
  /** Returns the secret, once. */
  create(endpoint: NewWebhookEndpoint, options?: CallOptions): Promise<CreatedWebhookEndpoint>;
  get(id: string, options?: CallOptions): Promise<WebhookEndpoint>;
  update(id: string, changes: WebhookEndpointChange, options?: CallOptions): Promise<WebhookEndpoint>;
  delete(id: string, options?: CallOptions): Promise<void>;
  /** Returns a new secret. The old one also signs for 24 hours. */
  rotate(id: string, options?: CallOptions): Promise<CreatedWebhookEndpoint>;
  /** Sends an example. */
  test(id: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Sends all events after the cursor again, or all that are kept. */
  replay(id: string, cursor?: string, options?: CallOptions): Promise<WebhookEndpoint>;
  /** All deliveries, the newest first, page by page. */
  deliveries(
    id: string,
    query?: { readonly state?: WebhookDelivery['state'] },
    options?: CallOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined>;
}

const PAGE_SIZE = 100;

export function createWebhookEndpoints(transport: Transport): WebhookEndpoints {
  async function call<T>(operation: OperationId, argument: object | undefined, options?: CallOptions): Promise<T> {
    const { body } = await transport.call(operation, argument, options);
    return (body as { data: T } | undefined)?.data as T;
  }
  return {
    list: (options) => call('listWebhookEndpoints', undefined, options),
    create: (endpoint, options) => call('createWebhookEndpoint', endpoint, options),
    get: (id, options) => call('getWebhookEndpoint', { id }, options),
    update: (id, body, options) => call('updateWebhookEndpoint', { id, body }, options),
    delete: (id, options) => call('deleteWebhookEndpoint', { id }, options),
    rotate: (id, options) => call('rotateWebhookSecret', { id }, options),
    test: (id, options) => call('testWebhookEndpoint', { id }, options),
    replay: (id, cursor, options) => call('replayWebhookEvents', { id, cursor }, options),
    async *deliveries(id, { state } = {}, options) {
      for (let before: string | undefined; ; ) {
        const query = { id, state, before, limit: PAGE_SIZE };
        const page: WebhookDelivery[] = await call('listWebhookDeliveries', query, options);
        yield* page;
        before = page.at(-1)?.id;
        if (page.length < PAGE_SIZE) return;
      }
    },
  };
}
