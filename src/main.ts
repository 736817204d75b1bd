import { backupCommand } from './commands/backup.ts';
import { bench } from './commands/bench.ts';
import { billing } from './commands/billing.ts';
import { generate } from './commands/generate.ts';
import { importCommand } from './commands/import.ts';
import { migrate } from './commands/migrate.ts';
import { openapi } from './commands/openapi.ts';
import { registersCommand } from './commands/registers.ts';
import { serve } from './commands/serve.ts';
import { token } from './commands/token.ts';
import { ConfigError } from './config.ts';
import { Failure, reasonOf } from './core/errors.ts';
import { findNearest } from './core/nearest.ts';
import { SchemaBehind, SchemaTooNew } from './db/migrate.ts';
import { version } from './services.ts';
import {
  type Command,
  CommandError,
  parseInvocation,
  renderColumns,
  renderHelp,
  UsageError,
} from './terminal/command.ts';

/**
 * The process: command line and signals. The only file that ends it. Exit codes: 0 done, 1 failed, 2 wrong usage.
 */
const commands: readonly Command[] = [
  serve,
  importCommand,
  generate,
  registersCommand,
  migrate,
  backupCommand,
  billing,
  token,
  bench,
  openapi,
];

async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return showHelp(name, rest[0]);
  if (name === '--version' || name === '-v') return say(`${version}\n`);
  const command = commands.find((candidate) => candidate.name === name);
  if (command === undefined) return complain(unknownCommand(name), 2);
  try {
    const invocation = parseInvocation(command, rest, listenForSignals());
    if (invocation.values.help === true) return say(renderHelp(command));
    await command.run(invocation);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) return complain(`${error.message}\n\n${renderHelp(command)}`, 2);
    return complain(describeError(error), 1);
  }
}

/** One sentence for errors that the operator can fix, a stack trace for bugs. */
function describeError(error: unknown): string {
  if (error instanceof Failure) {
    const what = error.code === 'billing_unavailable' ? 'The payment provider' : 'The database';
    return `${what} is not available: ${reasonOf(error)}`;
  }
  if (!(error instanceof Error)) return String(error);
  const isFixable = [ConfigError, CommandError, SchemaBehind, SchemaTooNew].some((kind) => error instanceof kind);
  return isFixable ? error.message : (error.stack ?? error.message);
}

/** On Ctrl+C the terminal signals npm and its child, and npm signals the child again. Within this time the two count as one. */
const ECHO_MS = 200;

/** The first SIGTERM or SIGINT asks the command to stop. The second ends the process immediately. */
function listenForSignals(): AbortSignal {
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
  return controller.signal;
}

function showHelp(asked: string | undefined, topic: string | undefined): number {
  const command = commands.find((candidate) => candidate.name === topic);
  if (command !== undefined) return say(renderHelp(command));
  if (topic !== undefined) return complain(unknownCommand(topic), 2);
  const overview = `Firmament ${version}: official company registers as one JSON API.

Usage: firmament <command> [options]

Commands:
${renderColumns(commands.map(({ name, summary }) => [name, summary]))}
Run "firmament <command> --help" for details. Firmament is configured by environment variables: see .env.example.
`;
  return asked === undefined ? complain(overview, 2) : say(overview);
}

function unknownCommand(name: string): string {
  const nearest = findNearest(
    name,
    commands.map((command) => command.name),
  );
  const hint = nearest === undefined ? 'see "firmament help"' : `did you mean "firmament ${nearest}"?`;
  return `firmament: unknown command "${name}": ${hint}`;
}

function say(text: string): number {
  process.stdout.write(text);
  return 0;
}

function complain(text: string, exitCode: number): number {
  process.stderr.write(`${text.trimEnd()}\n`);
  return exitCode;
}

process.exitCode = await main(process.argv.slice(2));
