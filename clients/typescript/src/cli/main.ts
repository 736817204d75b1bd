import { readFileSync } from 'node:fs';
import { parseInvocation } from './arguments.ts';
import { type Command, PROGRAM, SetupError, type Terminal, UsageError } from './command.ts';
import { commands } from './commands.ts';
import { describeEnding } from './failures.ts';
import { renderHelp, renderOverview } from './help.ts';
import { openTerminal, STOPPED } from './process-terminal.ts';
import { findNearest, printable } from './text.ts';

/** Runs the command line of this process. */
export async function runProcess(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2), openTerminal());
}

/** Returns the exit code: 0 done, 1 failed, 2 wrong usage, 130 stopped. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = args;
  let command: Command | undefined;
  try {
    if (name === '--version' || name === '-v') await terminal.print(`${readVersion()}\n`);
    else if (name === undefined) throw new UsageError(`Say what to do. ${listCommands()}`);
    else if (name === 'help' || name === '--help' || name === '-h')
      await terminal.print(await explain(rest[0], terminal));
    else {
      command = await findCommand(name);
      const invocation = parseInvocation(command, rest);
      if (invocation.flags.has('help')) await terminal.print(renderHelp(command, terminal.width));
      else await command.run(invocation, terminal);
    }
    return 0;
  } catch (error) {
    if (terminal.signal.aborted) return STOPPED;
    const { exitCode, message } = describeEnding(error, terminal);
    const isMisuse = error instanceof UsageError && !(error instanceof SetupError);
    const help = isMisuse ? ` See "${[PROGRAM, command?.name, '--help'].filter(Boolean).join(' ')}".` : '';
    // The message of an error may quote a reply or an argument.
    terminal.note(`${message}${help}`.split('\n').map(printable).join('\n'));
    return exitCode;
  }
}

async function explain(topic: string | undefined, { width }: Terminal): Promise<string> {
  if (topic !== undefined) return renderHelp(await findCommand(topic), width);
  return renderOverview(await Promise.all(Object.values(commands).map((load) => load())), width);
}

async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) {
    const nearest = findNearest(name, Object.keys(commands));
    const hint = nearest === undefined ? listCommands() : `Did you mean "${nearest}"?`;
    throw new UsageError(`Unknown command "${name}". ${hint}`);
  }
  return load();
}

function listCommands(): string {
  return `The commands are ${Object.keys(commands).join(', ')}.`;
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}
