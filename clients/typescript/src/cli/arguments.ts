import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type Command, type Invocation, UsageError } from './command.ts';
import { findNearest } from './text.ts';

/** Parses the arguments of a command. Node only splits them, because its messages do not say what to do. */
export function parseInvocation(command: Command, args: readonly string[]): Invocation {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const [name, { type }] of Object.entries(command.options)) options[name] = { type };
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  const values: Record<string, string> = {};
  const flags = new Set<string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
    if (type === undefined) throw new UsageError(describeUnknown(rawName, Object.keys(options)));
    if (type === 'boolean') {
      if (value !== undefined) throw new UsageError(`${rawName} takes no value: remove "=${value}".`);
      flags.add(name);
    } else {
      // The next option is not a value. One that starts with a dash can be given as --name=-value.
      if (!value || (!inlineValue && /^-./.test(value))) throw new UsageError(`${rawName} needs a value.`);
      values[name] = value;
    }
  }
  const [first] = positionals;
  if (first !== undefined && command.arguments === undefined && !flags.has('help')) {
    throw new UsageError(`${command.name} takes no arguments, but "${first}" was given.`);
  }
  return { values, flags, positionals };
}

function describeUnknown(typed: string, names: readonly string[]): string {
  const nearest = findNearest(typed.replace(/^-+/, ''), names);
  if (nearest !== undefined) return `Unknown option "${typed}". Did you mean "--${nearest}"?`;
  return `Unknown option "${typed}". The options are ${names.map((name) => `--${name}`).join(', ')}.`;
}
