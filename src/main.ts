import { ConfigError, version } from './base/config/config.ts';
import { SchemaError } from './base/db/migrate.ts';
import { Failure, reasonOf } from './base/errors.ts';
import { findNearest } from './base/nearest.ts';
import {
  type Command,
  CommandError,
  type NamedCommand,
  parseInvocation,
  renderHelp,
  UsageError,
} from './base/terminal/command.ts';
import { findTextWidth, printable, renderColumns, wrapText } from './base/terminal/table.ts';

/**
 * The process: command line and signals. Only this file ends the process. Exit codes: 0 done, 1 failed, 2 wrong usage; the help of a command lists
 * further ones. Commands are imported on demand: without the modules of the others, `token` loads five times faster and `import` in half the time.
 */
const commands: Readonly<Record<string, readonly [summary: string, load: () => Promise<{ command: Command }>]>> = {
  serve: ['Run the service.', () => import('./server/serve.ts')],
  fetch: [
    'Download the newest official files of registers.',
    async () => ({ command: (await import('./cli/sources.ts')).fetchCommand }),
  ],
  update: [
    'Fetch the newest official files of registers and import what is new.',
    async () => ({ command: (await import('./cli/sources.ts')).updateCommand }),
  ],
  import: ['Import the official files of a register.', () => import('./cli/import.ts')],
  export: ['Write all entities or parties to Parquet, NDJSON or CSV files.', () => import('./cli/export.ts')],
  match: ['Find the companies of a list by their names.', () => import('./cli/match.ts')],
  prove: ['Compare a record with the official file it was read from.', () => import('./cli/prove.ts')],
  generate: ["Write a synthetic file in a register's real format.", () => import('../synthetic/command.ts')],
  registers: [
    'List the registers: country, source, licence, number of entities, freshness.',
    () => import('./cli/registers.ts'),
  ],
  migrate: ['Update the database schema.', async () => ({ command: (await import('./cli/stores.ts')).migrate })],
  'search-index': [
    'Show or rebuild the search index in ClickHouse.',
    async () => ({ command: (await import('./cli/stores.ts')).searchIndex }),
  ],
  backup: [
    'Copy the SQLite stores to a folder while the service runs.',
    async () => ({ command: (await import('./cli/stores.ts')).backup }),
  ],
  billing: [
    'List payment events, replay one, or compare subscriptions with the provider.',
    async () => ({ command: (await import('./cli/events.ts')).billingCommand }),
  ],
  webhooks: [
    'List webhook endpoints, disable one, or send its events again.',
    async () => ({ command: (await import('./cli/events.ts')).webhooksCommand }),
  ],
  suppress: [
    'Remove a person from the parties of a company, and keep them out of later imports.',
    () => import('./cli/suppress.ts'),
  ],
  token: [
    'Print a session token of the running demo.',
    async () => ({ command: (await import('./cli/clients.ts')).token }),
  ],
  bench: ['Run a benchmark.', () => import('../bench/command.ts')],
  mcp: [
    'Give a desktop assistant access to a running service (Model Context Protocol).',
    async () => ({ command: (await import('./cli/clients.ts')).mcp }),
  ],
  openapi: [
    'Print the API contract (OpenAPI 3.1).',
    async () => ({ command: (await import('./cli/clients.ts')).openapi }),
  ],
};

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return showHelp(name, rest[0]);
  if (name === '--version' || name === '-v') return say(`${version}\n`);
  const command = await findCommand(name);
  if (command === undefined) return complain(describeUnknown(name), 2);
  try {
    const invocation = parseInvocation(command, rest, listenForSignals(command.endsWithParent));
    if (invocation.values.help === true) return say(renderHelp(command, findTextWidth(process.stdout)));
    await command.run(invocation);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) return complain(describeMisuse(command, error), 2);
    return complain(describeError(error), error instanceof CommandError ? error.exitCode : 1);
  }
}

/** A message with a suggestion is enough. Any other message names the help, which explains the right usage. */
function describeMisuse({ name }: NamedCommand, { message }: UsageError): string {
  return message.endsWith('?') ? message : `${message} See "firmament ${name} --help".`;
}

/** One sentence for errors that the operator can fix, a stack trace for bugs. */
function describeError(error: unknown): string {
  if (error instanceof Failure) {
    const what = error.code === 'billing_unavailable' ? 'The payment provider' : 'The database';
    return `${what} is not available: ${reasonOf(error)}`;
  }
  if (!(error instanceof Error)) return String(error);
  const isFixable = [ConfigError, CommandError, SchemaError].some((kind) => error instanceof kind);
  return isFixable ? error.message : (error.stack ?? error.message);
}

/** On Ctrl+C the terminal signals npm and its child, and npm signals the child again. Within this time, both signals count as one. */
const ECHO_MS = 200;

/** How long a command may take to stop after its parent has exited. After this time the process ends, because no other process would end it. */
const ORPHAN_MS = 20_000;

/** The first SIGTERM or SIGINT asks the command to stop. The second ends the process immediately. */
function listenForSignals(endsWithParent = false): AbortSignal {
  const controller = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (!controller.signal.aborted) {
      firstAt = performance.now();
      controller.abort();
    } else if (performance.now() - firstAt > ECHO_MS) {
      process.exit(1);
    }
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  if (endsWithParent && process.channel) {
    process.once('disconnect', () => {
      controller.abort();
      setTimeout(() => process.exit(1), ORPHAN_MS).unref();
    });
    // The channel alone must not keep the process running.
    process.channel.unref();
  }
  return controller.signal;
}

async function findCommand(name: string): Promise<NamedCommand | undefined> {
  const [, load] = Object.hasOwn(commands, name) ? (commands[name] ?? []) : [];
  return load && { name, ...(await load()).command };
}

async function showHelp(asked: string | undefined, topic: string | undefined): Promise<number> {
  const width = findTextWidth(process.stdout);
  if (topic !== undefined) {
    const command = await findCommand(topic);
    return command === undefined ? complain(describeUnknown(topic), 2) : say(renderHelp(command, width));
  }
  const overview = `Firmament ${version}: official company registers as one JSON API.

Usage: firmament <command> [options]

Commands:
${renderColumns(
  Object.entries(commands).map(([name, [summary]]) => [name, summary]),
  width,
)}

Examples:
${renderColumns(EXAMPLES, width)}

${wrapText('Run "firmament <command> --help" for details. Firmament is configured by environment variables: see .env.example.', width).join('\n')}
`;
  return asked === undefined ? complain(overview, 2) : say(overview);
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['firmament serve --demo', 'Try the whole product with sample data, offline.'],
  ['firmament update lv', 'Download and import the newest official file of Latvia.'],
  ['firmament registers', 'List the registers and what is imported.'],
];

function describeUnknown(name: string): string {
  const nearest = findNearest(name, Object.keys(commands));
  const hint = nearest === undefined ? 'see "firmament help"' : `did you mean "firmament ${nearest}"?`;
  return `firmament: unknown command "${name}": ${hint}`;
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function complain(text: string, exitCode: number): number {
  // The message of an unexpected error may quote a file.
  process.stderr.write(`${text.trimEnd().split('\n').map(printable).join('\n')}\n`);
  return exitCode;
}

/**
 * A reader that has gone, such as `head`, needs no further output. The command continues, and its work decides the exit code: an import must not stop
 * because its report is not read.
 */
function handleOutputError(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') process.exit(complain(`The output cannot be written: ${error.message}`, 1));
}

for (const output of [process.stdout, process.stderr]) output.on('error', handleOutputError);
process.exitCode = await main(process.argv.slice(2));
