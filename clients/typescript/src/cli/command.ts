/**
 * The command line: companies and changes for people at a terminal. A command has a file of its own, declares its arguments and
 * options, and gets everything from outside through `Terminal`. `commands.ts` lists the commands. This folder runs on Node only and is
 * not part of the library.
 */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** The arguments after the name, as in `<id>`. */
  readonly arguments?: string;
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly help: string;
  /** What to type after the name of the program, and what it does. */
  readonly examples: readonly (readonly [invocation: string, description: string])[];
  run(invocation: Invocation, terminal: Terminal): Promise<void>;
}

interface CommandOption {
  readonly type: 'boolean' | 'string';
  readonly description: string;
}

export interface Invocation {
  readonly values: Readonly<Record<string, string | undefined>>;
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Undefined if the output goes to a file or a pipe, where lines may have any length. */
  readonly width: number | undefined;
  readonly hasColour: boolean;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Writes results, and resolves when they are written. */
  print(text: string): Promise<void>;
  /** Writes a line for the person, which is not part of the results. */
  note(text: string): void;
}

/** How people run it without installing anything. */
export const PROGRAM = 'npx @firmament/client';

/** Wrong usage: exit code 2, and a sentence that says what is right. */
export class UsageError extends Error {}

/** The environment has to be set first. The help of a command would not add anything. */
export class SetupError extends UsageError {}

export const JSON_OPTION = { json: { type: 'boolean', description: 'JSON instead of a table.' } } as const;

/** Options that several commands pass on as parameters of the API. */
export const FILTERS = {
  country: { type: 'string', description: 'Only this country: two letters, such as gb.' },
  register: { type: 'string', description: 'Only this register, such as gb or gleif.' },
} as const;

/** Reads `--limit` and `--all`. */
export function readLimit({ values, flags }: Invocation, defaultLimit: number): number {
  if (flags.has('all')) {
    if (values.limit !== undefined) throw new UsageError('Use either --limit or --all.');
    return Number.POSITIVE_INFINITY;
  }
  const { limit } = values;
  if (limit === undefined) return defaultLimit;
  if (/^[1-9]\d{0,8}$/.test(limit)) return Number(limit);
  throw new UsageError('--limit needs a whole number of 1 or more.');
}
