import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { renderColumns, wrapText } from '../../../clients/typescript/src/cli/text.ts';
import { findNearest } from '../nearest.ts';

/** The parts of every command line. The help is written from the arguments and options that a command declares; commands are in cli/. */
export interface Command {
  readonly arguments?: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  readonly help: string;
  readonly examples: readonly (readonly [invocation: string, description: string])[];
  /** Whether the command stops when the process that started it, with an IPC channel, has gone. */
  readonly endsWithParent?: boolean;
  run(invocation: Invocation): Promise<void>;
}

export type NamedCommand = Command & { readonly name: string };

interface CommandOption {
  readonly type: 'boolean' | 'string' | 'list';
  readonly description: string;
}

export interface Invocation {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly positionals: readonly string[];
  readonly signal: AbortSignal;
}

/** Wrong usage: exit code 2, and one sentence that explains the right usage. */
export class UsageError extends Error {}

/** A failure that the operator can fix: exit code 1 unless the command documents another, and one sentence instead of a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function parseNumber(values: Invocation['values'], name: string, defaultValue: number, min = 1): number {
  const { [name]: text = String(defaultValue) } = values;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text) && Number(text) >= min) return Number(text);
  throw new UsageError(`--${name} needs a whole number of ${min} or more.`);
}

/** Reads an action such as `events`, and its argument if `actions` names one, such as an event id. */
export function parseAction<Action extends string>(
  command: string,
  [action = '', ...rest]: readonly string[],
  actions: Readonly<Record<Action, string | null>>,
): { readonly action: Action; readonly argument: string } {
  const names = Object.keys(actions) as Action[];
  const found = names.find((name) => name === action);
  if (action === '') throw new UsageError(`${command} needs an action: ${names.join(', ')}.`);
  if (found === undefined) throw new UsageError(describeUnknown('action', action, names));
  const noun = actions[found];
  if (rest.filter((text) => text !== '').length !== (noun === null ? 0 : 1)) {
    throw new UsageError(`${command} ${action} ${noun === null ? 'takes no arguments' : `needs one ${noun}`}.`);
  }
  return { action: found, argument: rest[0] ?? '' };
}

/** Handles errors of work that was stopped: `sentence` explains what was done, or what to do. */
export function describeStop(signal: AbortSignal, sentence: string): (error: unknown) => never {
  return (error) => {
    throw signal.aborted ? new CommandError(sentence) : error;
  };
}

export function parseInvocation(command: NamedCommand, args: readonly string[], signal: AbortSignal): Invocation {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { type }] of Object.entries(command.options ?? {})) {
    options[name] = { type: type === 'boolean' ? 'boolean' : 'string', multiple: type === 'list' };
  }
  const { values: given, positionals } = splitArguments(args, options);
  const values: Record<string, string | boolean> = {};
  const lists: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === '') throw new UsageError(`--${name} needs a value.`);
    if (Array.isArray(value)) lists[name] = value.map(String);
    else if (value !== undefined) values[name] = value;
  }
  const [first] = positionals;
  if (first !== undefined && command.arguments === undefined && values.help !== true) {
    throw new UsageError(`${command.name} takes no arguments, but "${first}" was given.`);
  }
  return { values, lists, positionals, signal };
}

function splitArguments(args: readonly string[], options: ParseArgsOptionsConfig) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError && 'code' in error)) throw error;
    // The further sentences of Node explain rare cases.
    const [sentence = ''] = error.message.split(/\.\s|$/);
    const [, typed = ''] = /'(-[^ ']*)/.exec(sentence) ?? [];
    if (error.code !== 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      throw new UsageError(`${typed} ${sentence.includes('does not take') ? 'takes no value' : 'needs a value'}.`);
    }
    const nearest = findNearest(typed.replace(/^-+/, ''), Object.keys(options));
    throw new UsageError(`Unknown option "${typed}".${nearest ? ` Did you mean "--${nearest}"?` : ''}`);
  }
}

/** The message for a word that is not in `names`. The message suggests a similar name, or lists all names. */
export function describeUnknown(what: string, word: string, names: readonly string[]): string {
  const nearest = findNearest(word, names);
  const hint = nearest === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `Unknown ${what} "${word}". ${hint}`;
}

const VALUES: Readonly<Record<CommandOption['type'], string>> = { boolean: '', string: ' <value>', list: ' <value…>' };

export function renderHelp({ name, arguments: args, options = {}, help, examples }: NamedCommand, width: number) {
  const rows = Object.entries(options).map(([option, { type, description }]) => {
    return [`--${option}${VALUES[type]}`, description] as const;
  });
  const usage = ['firmament', name, args, '[options]'].filter(Boolean).join(' ');
  const paragraphs = help.trim().split(/\n{2,}/);
  const sections = [
    `Usage: ${usage}`,
    ...paragraphs.map((paragraph) => wrapText(paragraph, width).join('\n')),
    `Examples:\n${renderColumns(
      examples.map(([invocation, description]) => [`firmament ${invocation}`, description]),
      width,
    )}`,
    `Options:\n${renderColumns([...rows, ['-h, --help', 'Show this help.']], width)}`,
  ];
  return `${sections.join('\n\n')}\n`;
}
