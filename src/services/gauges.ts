import type { PoolState } from '../base/db/db.ts';
import type { GaugeValue } from '../base/observability/metrics.ts';
import { parseVersion } from '../base/version.ts';
import type { RegisterState } from '../registry/registry.ts';
import type { IndexFigures } from '../search/search.ts';
import type { Webhooks } from '../watch/webhooks/webhooks.ts';

export function describePool(database: string, pool: PoolState): GaugeValue[] {
  return Object.entries(pool).map(([state, count]) => ['database_pool_connections', count, { database, state }]);
}

export function describeIndex(index: IndexFigures | undefined): GaugeValue[] {
  if (index === undefined) return [];
  const { generation, publishedAt } = parseVersion(index.version);
  return [
    ['search_data_generation', generation],
    ['search_data_published_timestamp_seconds', publishedAt / 1_000],
    ['search_index_entities', index.entities],
    ['search_index_overlay_documents', index.overlayDocuments],
    ['search_index_segments', index.segments],
    ['search_generations_behind', index.behind ?? 0],
    ['search_index_bytes', index.bytes],
    ...Object.entries(index.seconds).map(([work, took]): GaugeValue => ['search_index_work_seconds', took, { work }]),
  ];
}

/** Only registers that have official data, or for which an update has tried to get some. */
export function describeRegisters(states: readonly RegisterState[]): GaugeValue[] {
  const toSeconds = (time: number | null) => time && time / 1_000;
  return states
    .filter((state) => (state.entities > 0 && !state.synthetic) || state.checkedAt !== null || state.failures > 0)
    .flatMap(({ register: { id: register }, asOf, importedAt, checkedAt, failures, freshness }): GaugeValue[] => [
      ['register_data_timestamp_seconds', toSeconds(asOf === null ? null : Date.parse(asOf)), { register }],
      ['register_imported_timestamp_seconds', toSeconds(importedAt), { register }],
      ['register_checked_timestamp_seconds', toSeconds(checkedAt), { register }],
      ['register_check_failures', failures, { register }],
      ...['fresh', 'due', 'overdue'].map((state): GaugeValue => {
        return ['register_freshness', freshness && (state === freshness ? 1 : 0), { register, state }];
      }),
    ]);
}

type DeliveryFigures = Awaited<ReturnType<Webhooks['findFigures']>>;

export function describeDeliveries({ waiting, failed, oldestAt }: DeliveryFigures, now: number): GaugeValue[] {
  return [
    ['webhook_deliveries_waiting', waiting],
    ['webhook_endpoints_failed', failed],
    ['webhook_oldest_waiting_seconds', oldestAt === null ? 0 : (now - oldestAt) / 1_000],
  ];
}
