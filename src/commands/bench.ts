import { runBenchHttp } from '../bench/http/report.ts';
import { runBenchImport } from '../bench/import/report.ts';
import { runBenchScale } from '../bench/scale/report.ts';
import { runBenchSearch } from '../bench/search/report.ts';
import { type Command, type Invocation, UsageError } from '../terminal/command.ts';

const benchmarks: Readonly<Record<string, (invocation: Invocation) => Promise<void>>> = {
  import: runBenchImport,
  search: runBenchSearch,
  http: runBenchHttp,
  scale: runBenchScale,
};

const names = Object.keys(benchmarks).join(', ');

export const bench: Command = {
  name: 'bench',
  summary: `Measure: ${names}.`,
  arguments: '<name>',
  options: {
    rows: {
      type: 'string',
      description: 'import: rows of a file (1000000 for gb, 300000 for others). search: 5000000. http, scale: 1000000.',
    },
    json: { type: 'boolean', description: 'Print the figures as JSON.' },
    all: { type: 'boolean', description: 'import: every register, not only gb, no and md.' },
    'database-url': {
      type: 'string',
      description: 'import: PostgreSQL too. http, scale: this PostgreSQL. Its tables are emptied!',
    },
    'no-postgres': { type: 'boolean', description: 'search, http, scale: without PostgreSQL.' },
    seconds: { type: 'string', description: 'http, scale: of a round (3).' },
    rounds: { type: 'string', description: 'http: of each server (5). scale: of each number of threads (7).' },
    keys: { type: 'string', description: 'http, scale: accounts with a key each that share the load (2000; 3000).' },
    workers: { type: 'string', description: 'scale: serving threads that are compared with one (2).' },
    profile: {
      type: 'string',
      description: 'http: a folder for processor profiles of the server, which make it slower.',
    },
    'only-ours': { type: 'boolean', description: 'search: without PostgreSQL and SQLite FTS5.' },
  },
  help: `
bench import: imports a generated file of each register into an empty store, then once more with 1 % of the companies
changed; prints rows a second and the peak memory of the importing process. Generated files are kept in DATA_DIR/bench.

bench search: builds our index from a store of invented companies, and asks it, PostgreSQL with pg_trgm (its own server,
started for this) and SQLite FTS5 with trigrams the same queries; fails if their totals or pages differ. Data and the others'
indexes are kept in DATA_DIR/bench, about 3 GB for a million rows.

bench http: asks the server, run as shipped on one core, from another process on another core, in turn with a bare node:http
server that sends the same bytes; prints requests a second, latency, and the ratio of the two, for search, detail and countries,
on SQLite and on PostgreSQL (its own server, started for this, unless one is named). Fails at any answer but 200. Data is kept
in DATA_DIR/bench, about 3 GB for a million rows.

bench scale: asks the server with one serving thread and with several, in turn; prints requests a second, the cores used, and the
ratio, for search and detail. Server and load run in turns, one stopped while the other runs, so that on two cores both are
the server's while it is measured. Same data as bench http.`,
  async run(invocation) {
    const [name = '', ...others] = invocation.positionals;
    const run = Object.hasOwn(benchmarks, name) && others.length === 0 ? benchmarks[name] : undefined;
    if (run === undefined) throw new UsageError(`bench needs a name: ${names}.`);
    if (invocation.values.rows !== undefined && !/^[1-9]\d{0,8}$/.test(String(invocation.values.rows))) {
      throw new UsageError('--rows needs a whole number.');
    }
    await run(invocation);
  },
};
