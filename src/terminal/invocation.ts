import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { findNearest } from '../core/nearest.ts';
import { type Command, type Invocation, UsageError } from './command.ts';

/** Parses the arguments of a command. Node only splits them: its messages have neither suggestions nor our words. */
export function parseInvocation(command: Command, args: readonly string[], signal: AbortSignal): Invocation {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean', short: 'h' } };
  const lists: Record<string, string[]> = {};
  for (const [name, { type }] of Object.entries(command.options ?? {})) {
    options[name] = { type: type === 'boolean' ? 'boolean' : 'string' };
    if (type === 'list') lists[name] = [];
  }
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const values: Record<string, string | boolean> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const value = readValue(token, options);
    values[token.name] = value;
    if (typeof value === 'string') lists[token.name]?.push(value);
  }
  const [first] = positionals;
  if (first !== undefined && command.arguments === undefined && values.help !== true) {
    throw new UsageError(`${command.name} takes no arguments, but "${first}" was given.`);
  }
  return { values, lists, positionals, signal };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function readValue({ name, rawName, value, inlineValue }: OptionToken, options: ParseArgsOptionsConfig) {
  const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
  if (type === undefined) throw new UsageError(describeUnknownOption(rawName, Object.keys(options)));
  if (type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value: remove "=${value}".`);
    return true;
  }
  // The next option is not a value, but a negative number is. Another one that starts with a dash can be given as --name=-value.
  if (value === undefined || value === '' || (!inlineValue && /^-[^\d]/.test(value))) {
    throw new UsageError(`${rawName} needs a value.`);
  }
  return value;
}

function describeUnknownOption(typed: string, names: readonly string[]): string {
  const nearest = findNearest(typed.replace(/^-+/, ''), names);
  if (nearest !== undefined) return `Unknown option "${typed}". Did you mean "--${nearest}"?`;
  return `Unknown option "${typed}".`;
}

/** The message for a word that is not in `names`. It suggests a similar name, or lists all of them. */
export function describeUnknown(what: string, word: string, names: readonly string[]): string {
  const nearest = findNearest(word, names);
  const hint = nearest === undefined ? `Use one of: ${names.join(', ')}.` : `Did you mean "${nearest}"?`;
  return `Unknown ${what} "${word}". ${hint}`;
}
