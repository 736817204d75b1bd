import { type Changes, createChanges } from './changes.ts';
import type {
  CompanyReference,
  CreatedMonitorReply,
  Monitor,
  MonitorEntitiesChangedReply,
  MonitorEntityList,
  MonitorList,
  MonitorReply,
  MonitorUpdate,
  NewMonitor,
  UpdatedMonitorReply,
} from './generated/types.ts';
import type { CallOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** The monitors of the account, with a session or an API key, which needs the right to manage for changes. */
export interface Monitors {
  /** Creates a monitor. `entities` may have any number of companies: they are added in parts. */
  create(monitor: NewMonitor, options?: CallOptions): Promise<EditedMonitor>;
  /** All of them, the oldest first. */
  list(options?: CallOptions): Promise<Monitor[]>;
  get(id: string, options?: CallOptions): Promise<Monitor>;
  update(id: string, changes: MonitorUpdate, options?: CallOptions): Promise<Monitor>;
  delete(id: string, options?: CallOptions): Promise<void>;
  /** Adds any number of companies, in parts. */
  add(id: string, companies: readonly CompanyReference[], options?: CallOptions): Promise<EditedMonitor>;
  /** Removes any number of companies, in parts. */
  remove(id: string, companies: readonly CompanyReference[], options?: CallOptions): Promise<EditedMonitor>;
  /** The ids of all its companies, page by page. */
  entities(id: string, options?: CallOptions): AsyncGenerator<string, void, undefined>;
  /** The changes that a monitor reports, like `client.changes`. Each costs one request of the quota. */
  changes(id: string): Changes;
}

export interface EditedMonitor {
  readonly monitor: Monitor;
  /** The companies that there are not. They were left out. */
  readonly notFound: readonly CompanyReference[];
}

/** Companies per request. */
const PART_SIZE = 1000;

export function createMonitors(transport: Transport, times: Parameters<typeof createChanges>[1]): Monitors {
  async function edit(
    id: string,
    how: 'add' | 'remove',
    companies: readonly CompanyReference[],
    options?: CallOptions,
  ): Promise<EditedMonitor> {
    const notFound: CompanyReference[] = [];
    for (let from = 0; ; from += PART_SIZE) {
      const body = { [how]: companies.slice(from, from + PART_SIZE) };
      const reply = await transport.call('changeMonitorEntities', { id, body }, options);
      const { data, meta } = reply.body as MonitorEntitiesChangedReply;
      notFound.push(...meta.notFound);
      if (from + PART_SIZE >= companies.length) return { monitor: data, notFound };
    }
  }

  return {
    async create({ entities, ...monitor }, options) {
      const first = entities?.slice(0, PART_SIZE);
      const { body } = await transport.call(
        'createMonitor',
        { ...monitor, ...(first && { entities: first }) },
        options,
      );
      const { data, meta } = body as CreatedMonitorReply;
      const rest = entities?.slice(PART_SIZE) ?? [];
      if (rest.length === 0) return { monitor: data, notFound: meta.notFound };
      const added = await edit(data.id, 'add', rest, options);
      return { ...added, notFound: [...meta.notFound, ...added.notFound] };
    },
    async list(options) {
      return ((await transport.call('listMonitors', undefined, options)).body as MonitorList).data;
    },
    async get(id, options) {
      return ((await transport.call('getMonitor', { id }, options)).body as MonitorReply).data;
    },
    async update(id, changes, options) {
      const { body } = await transport.call('updateMonitor', { id, body: changes }, options);
      return (body as UpdatedMonitorReply).data;
    },
    async delete(id, options) {
      await transport.call('deleteMonitor', { id }, options);
    },
    add: (id, companies, options) => edit(id, 'add', companies, options),
    remove: (id, companies, options) => edit(id, 'remove', companies, options),
    async *entities(id, options) {
      for (let after: string | null | undefined; after !== null; ) {
        const { body } = await transport.call('listMonitorEntities', { id, ...(after && { after }) }, options);
        const { data, meta } = body as MonitorEntityList;
        yield* data;
        after = meta.next;
      }
    },
    changes: (id) => createChanges(transport, times, { operation: 'listMonitorChanges', parameters: { id } }),
  };
}
