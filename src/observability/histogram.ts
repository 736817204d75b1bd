import type { Registry as MetricSet, MetricValueWithName } from 'prom-client';

/**
 * The histogram of request durations, by method, route and status. Every request is observed, so this is written for speed:
 * prom-client's own histogram hashes the labels of each observation, which takes five times as long.
 */
interface Histogram {
  observe(method: string, route: string, status: number, value: number): void;
}

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

interface Series {
  readonly labels: { readonly method: string; readonly route: string; readonly status: number };
  /** The number of values in each bucket. A value counts only in the first bucket that it fits. The last one has no upper bound. */
  readonly counts: Float64Array;
  sum: number;
}

export function createHistogram(metrics: MetricSet, { name, help, buckets }: HistogramOptions): Histogram {
  const all: Series[] = [];
  /** By status, then route, then method: routes are few, and each has few statuses. */
  const byStatus = new Map<number, Map<string, Map<string, Series>>>();

  function addSeries(method: string, route: string, status: number): Series {
    const series = { labels: { method, route, status }, counts: new Float64Array(buckets.length + 1), sum: 0 };
    const byRoute = byStatus.getOrInsertComputed(status, () => new Map<string, Map<string, Series>>());
    byRoute.getOrInsertComputed(route, () => new Map<string, Series>()).set(method, series);
    all.push(series);
    return series;
  }

  function* exportValues(): Generator<MetricValueWithName<string>> {
    for (const { labels, counts, sum } of all) {
      let count = 0;
      for (const [index, inBucket] of counts.entries()) {
        count += inBucket;
        yield { labels: { le: buckets[index] ?? '+Inf', ...labels }, value: count, metricName: `${name}_bucket` };
      }
      yield { labels, value: sum, metricName: `${name}_sum` };
      yield { labels, value: count, metricName: `${name}_count` };
    }
  }

  const metric = {
    name,
    async get() {
      return { name, help, type: 'histogram', aggregator: 'sum', values: [...exportValues()] };
    },
  };
  metrics.registerMetric(metric as unknown as Parameters<MetricSet['registerMetric']>[0]);

  return {
    observe(method, route, status, value) {
      const series = byStatus.get(status)?.get(route)?.get(method) ?? addSeries(method, route, status);
      let bucket = 0;
      while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket++;
      (series.counts[bucket] as number)++;
      series.sum += value;
    },
  };
}
