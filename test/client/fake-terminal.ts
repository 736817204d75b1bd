import type { Terminal } from '../../clients/typescript/src/cli/command.ts';
import { runCommandLine } from '../../clients/typescript/src/cli/main.ts';

export interface CommandLineEnd {
  readonly code: number;
  readonly out: string;
  readonly notes: string;
}

/** Runs the command line of the client in this process. */
export async function runCli(
  args: readonly string[],
  env: Terminal['env'],
  given: Partial<Terminal> = {},
): Promise<CommandLineEnd> {
  let out = '';
  let notes = '';
  const code = await runCommandLine(args, {
    env,
    width: undefined,
    hasColour: false,
    signal: new AbortController().signal,
    async print(text) {
      out += text;
    },
    note(text) {
      notes += `${text}\n`;
    },
    ...given,
  });
  return { code, out, notes };
}
