import { openStore } from '../../src/base/db/open.ts';
import { createClickhouseSearch } from '../../src/search/clickhouse/clickhouse.ts';
import { TEST_OPTIONS } from './clickhouse-search.ts';

/** A process that publishes everything but the last step, says so, and waits to be killed. */
const { place, database } = JSON.parse(process.argv[2] ?? '');
const log = { info: () => undefined, warn: () => undefined };
const search = createClickhouseSearch({
  ...{ place, registryDb: openStore('registry', database), accountsDb: openStore('accounts', database), log },
  ...TEST_OPTIONS,
  beforePublish() {
    console.log('published but for the last step');
    return new Promise(() => setInterval(() => undefined, 1_000));
  },
});
await search.refresh();
