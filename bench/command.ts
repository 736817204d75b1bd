import { type Command, describeUnknown, type Invocation, UsageError } from '../src/base/terminal/command.ts';
import { runBenchClickhouse } from './clickhouse/report.ts';
import { runBenchExport } from './export/report.ts';
import { runBenchHttp } from './http/report.ts';
import { runBenchImport } from './import/report.ts';
import { runBenchMatch } from './match/report.ts';
import { runBenchMonitor } from './monitor/report.ts';
import { runBenchParties } from './parties/report.ts';
import { runBenchScale } from './scale/report.ts';
import { runBenchSearch } from './search/report.ts';
import { runBenchUpdate } from './update/report.ts';

const benchmarks: Readonly<Record<string, (invocation: Invocation) => Promise<void>>> = {
  import: runBenchImport,
  search: runSearch,
  http: runBenchHttp,
  scale: runBenchScale,
  update: runBenchUpdate,
  export: runBenchExport,
  match: runBenchMatch,
  monitor: runBenchMonitor,
  parties: runBenchParties,
};

async function runSearch(invocation: Invocation): Promise<void> {
  const { engine } = invocation.values;
  if (engine === undefined) return runBenchSearch(invocation);
  if (engine !== 'clickhouse') throw new UsageError('bench search knows one --engine: clickhouse.');
  await runBenchClickhouse(invocation);
}

const names = Object.keys(benchmarks).join(', ');

export const command: Command = {
  arguments: '<name>',
  options: {
    rows: {
      type: 'string',
      description:
        'How many rows (import: 1000000 for gb, 300000 for others; search: 5000000; http, scale, export, monitor: 1000000; parties: answers, 1000).',
    },
    json: { type: 'boolean', description: 'Print the figures as JSON.' },
    registers: { type: 'string', description: 'import: ids of registers, with commas (default gb,md,gleif,fi,ua).' },
    all: { type: 'boolean', description: 'import: every register.' },
    'database-url': {
      type: 'string',
      description: 'import: also measure this PostgreSQL. http, scale, monitor: use this PostgreSQL. Deletes its data!',
    },
    'no-postgres': { type: 'boolean', description: 'search, http, scale: leave PostgreSQL out.' },
    seconds: { type: 'string', description: 'http, scale, export: length of a round (default 3).' },
    rounds: {
      type: 'string',
      description:
        'http: rounds per server (default 5). scale: rounds per number of threads (default 7). update: rounds per change (default 5).',
    },
    keys: {
      type: 'string',
      description: 'http, scale, export: accounts that share the load, with one key each (default 2000; 3000; 2000).',
    },
    workers: { type: 'string', description: 'scale: number of serving threads to compare with one (default 2).' },
    profile: {
      type: 'string',
      description: 'http: write CPU profiles of the server to this folder. Profiling slows it down.',
    },
    entities: {
      type: 'string',
      description:
        'update: sizes of stores, with commas (default 1000000,5000000). match: measure the speed with so many companies.',
    },
    data: {
      type: 'string',
      description:
        'update: the folder with the stores (DATA_DIR/bench). match: the folder with the labelled data sets.',
    },
    only: {
      type: 'string',
      description: 'match: parts of the scoreboard, with commas (invented,vendors,employers,distractors,pairs,common).',
    },
    every: { type: 'string', description: 'match: ask only every n-th query of each set (default 1).' },
    engine: { type: 'string', description: 'search: clickhouse.' },
    'only-ours': { type: 'boolean', description: 'search, export: leave the other databases out.' },
  },
  help: `
bench import: imports a generated file of each register into an empty store, then again with 1 % of the companies changed.
Then it imports each set of their parties, persons included. Prints rows per second, processor time per row, the peak memory of the importing
process, and whether the first import into SQLite is fast enough: 40,000 rows per second for gb, 20,000 for the others, 25,000 for parties.
Generated files are kept in DATA_DIR/bench.

bench search: builds our index from a store of invented companies and sends the same queries to it, to PostgreSQL with
pg_trgm (it starts a server for this) and to SQLite FTS5 with trigrams. Fails if their totals or pages differ. Data and
indexes are kept in DATA_DIR/bench, about 3 GB per million rows. With --engine clickhouse it measures the nodes of CLICKHOUSE_URL instead,
in a database of its own: loading, the queries, changes of 1,000 and 50,000 companies. Uses the data of bench update.

bench http: sends requests to the server, run as shipped on one core, from a process on another core, alternating with a
bare node:http server that sends the same bytes. Prints requests per second, latency and the ratio of the two for search,
detail and countries, on SQLite and on PostgreSQL (it starts a server unless you name one). Fails if any answer is not
200. Data is kept in DATA_DIR/bench, about 3 GB per million rows.

bench scale: compares several serving threads with one. Prints requests per second, the cores used and the ratio, for
search and detail. Server and load take turns, one stopped while the other runs, so that on a machine with two cores the
server has both while it is measured. Uses the data of bench http.

bench update: a process follows a store as a server does, while another process imports changes of 10, 1,000 and 50,000
companies. Prints how long after its commit each change was found, the additional memory, the longest turn of the event
loop, what folding a full overlay costs, and query times with a full overlay relative to a new base. Stores are kept in
DATA_DIR/bench, about 1.5 GB per million entities.

bench export: exports imported British companies in each format, in a process of its own. Prints entities per second, CPU time, the
peak memory of the process, the p99 of a server on the same store with and without an export, and the ratio to PostgreSQL's COPY … TO
(it starts a server for this) and to DuckDB, which reads the SQLite file if its extension for that is available. The store is kept in
DATA_DIR/bench, about 2.5 GB per million rows, twice that with PostgreSQL.

bench match: asks for the names of labelled data sets, which you have to provide (bench/match/README.md lists them), and compares the answers with
the labels. Prints every line of the scoreboard beside the best known figure of others, the tuning half and the held-out half apart, and the
worst answers. Ends with an error if a line is below its bar. With --entities, it measures the speed instead: an index of invented companies
in memory is asked for their names, changed as people change them. Data is kept in DATA_DIR/bench, as bench search keeps it.

bench monitor: imports companies, changes all of them, and compares that with 1,000 monitors that together have all of them. Prints how long
comparing takes, its memory, and how much longer an import takes meanwhile. Then, with 1,000 changes per import: how soon the first webhook
arrives, and how soon 90 receivers have their events if ten others never answer.

bench parties: reads the owners of a company with 1,000 companies in nine levels above it, from SQLite, and writes the answer as JSON. Prints
the processor time and the time of an answer, and whether its p99 is at most 20 ms. --rows is the number of answers.`,
  examples: [
    ['bench import --registers gb,lv --rows 100000', 'Measure two registers with small files.'],
    ['bench search --rows 1000000 --only-ours', 'Measure search without the databases to compare with.'],
    ['bench http --seconds 2 --rounds 3 --no-postgres', 'A short measurement of the server on SQLite.'],
  ],
  async run(invocation) {
    const [name = '', ...others] = invocation.positionals;
    if (name === '' || others.length > 0) throw new UsageError(`bench needs one name: ${names}.`);
    const run = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined;
    if (run === undefined) throw new UsageError(describeUnknown('benchmark', name, Object.keys(benchmarks)));
    await run(invocation);
  },
};
