import { Gauge, type Registry as MetricSet } from 'prom-client';

/** What is known of the search index of this process. */
export interface IndexMetrics {
  readonly generation: number;
  /** Epoch ms. */
  readonly publishedAt: number;
  readonly entities: number;
  readonly overlayDocuments: number;
  readonly segments: number;
  readonly bytes: number;
  /** How many imports are not searched yet; only in ClickHouse, which several servers share. */
  readonly behind?: number;
  /** How long the last build, update and fold took. */
  readonly seconds: Readonly<Partial<Record<'build' | 'update' | 'fold', number>>>;
}

/** `read` is called at every scrape; undefined if there is no index in memory yet, or the engine is PostgreSQL. */
export function registerIndexMetrics(metrics: MetricSet, read: () => IndexMetrics | undefined): void {
  const gauges: readonly [name: string, help: string, pick: (index: IndexMetrics) => number | undefined][] = [
    ['search_data_generation', 'The generation of the data that is searched.', ({ generation }) => generation],
    [
      'search_data_published_timestamp_seconds',
      'When the data that is searched was imported.',
      ({ publishedAt }) => publishedAt / 1000,
    ],
    ['search_index_entities', 'Entities in the search index.', ({ entities }) => entities],
    [
      'search_index_overlay_documents',
      'Documents of the search index that changed since its base was built.',
      ({ overlayDocuments }) => overlayDocuments,
    ],
    ['search_index_segments', 'Segments of the overlay of the search index.', ({ segments }) => segments],
    [
      'search_generations_behind',
      'Imports that are not in the search index in ClickHouse yet.',
      ({ behind }) => behind,
    ],
    ['search_index_bytes', 'Memory of the search index, which all threads share.', ({ bytes }) => bytes],
  ];
  for (const [name, help, pick] of gauges) {
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        const index = read();
        const value = index && pick(index);
        if (value !== undefined) this.set(value);
      },
    });
  }
  const seconds = new Gauge({
    name: 'search_index_work_seconds',
    help: 'How long the last build, update or fold of the search index took.',
    labelNames: ['work'],
    registers: [metrics],
    collect() {
      for (const [work, took] of Object.entries(read()?.seconds ?? {})) this.set({ work }, took);
    },
  });
  seconds.reset();
}
