/**
 * What every command line needs: parsing arguments, help, tables, progress. This folder knows no command; those are in
 * commands/. A command declares its arguments and options, and the help is written from them.
 */
export interface Command {
  readonly name: string;
  /** The arguments after the name, as in `<register> <file…>`. */
  readonly arguments?: string;
  readonly options?: Readonly<Record<string, CommandOption>>;
  /** Paragraphs, which are wrapped to the width of the terminal. */
  readonly help: string;
  /** What to type after `firmament`, and what it does. */
  readonly examples: readonly (readonly [invocation: string, description: string])[];
  /** Whether it stops when the process that started it, with an IPC channel, is gone. */
  readonly endsWithParent?: boolean;
  run(invocation: Invocation): Promise<void>;
}

export interface CommandOption {
  readonly type: 'boolean' | 'string' | 'list';
  readonly description: string;
}

export interface Invocation {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  /** The values of options of type `list`, which may be given several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly positionals: readonly string[];
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** Wrong usage: exit code 2, and one sentence that says what is right. */
export class UsageError extends Error {}

/** A failure that the operator can fix: exit code 1 unless the command documents another, and one sentence instead of a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Reads an option that is a whole number of up to nine digits. */
export function readNumber(values: Invocation['values'], name: string, defaultValue: number, min = 1): number {
  const { [name]: text = String(defaultValue) } = values;
  if (typeof text === 'string' && /^\d{1,9}$/.test(text) && Number(text) >= min) return Number(text);
  throw new UsageError(`--${name} needs a whole number of ${min} or more.`);
}
