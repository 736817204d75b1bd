import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * What every command line needs: parsing arguments, help, tables, progress. This folder knows no command; those are in
 * commands/. A command declares its arguments and options, and the help is written from them.
 */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The arguments after the name, as in `<register> <file…>`. */
  readonly arguments?: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  readonly help: string;
  run(invocation: Invocation): Promise<void>;
}

interface CommandOption {
  readonly type: 'boolean' | 'string';
  readonly description: string;
}

export interface Invocation {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** Wrong usage: exit code 2, and the command's help is printed. */
export class UsageError extends Error {}

/** A failure that the operator can fix: exit code 1, and one sentence instead of a stack trace. */
export class CommandError extends Error {}

export function parseInvocation(command: Command, args: readonly string[], signal: AbortSignal): Invocation {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { type }] of Object.entries(command.options ?? {})) options[name] = { type };
  try {
    const allowPositionals = command.arguments !== undefined;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals, strict: true });
    return { values: values as Invocation['values'], positionals, signal };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Reads an option that is a whole number of up to nine digits. */
export function readNumber(values: Invocation['values'], name: string, defaultValue: number, min = 1): number {
  const { [name]: text = String(defaultValue) } = values;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text) && Number(text) >= min) return Number(text);
  throw new UsageError(`--${name} needs a whole number of ${min} or more.`);
}

export function renderHelp({ name, arguments: args, options = {}, help }: Command): string {
  const rows = Object.entries(options).map(([option, { type, description }]) => {
    return [`--${option}${type === 'string' ? ' <value>' : ''}`, description];
  });
  rows.push(['-h, --help', 'Show this help.']);
  const usage = ['firmament', name, args, '[options]'].filter(Boolean).join(' ');
  return `Usage: ${usage}\n\n${help.trim()}\n\nOptions:\n${renderColumns(rows)}`;
}

export function renderColumns(rows: readonly (readonly string[])[]): string {
  const width = Math.max(...rows.map(([first = '']) => first.length));
  return rows.map(([first = '', second = '']) => `  ${first.padEnd(width)}  ${second}\n`).join('');
}
