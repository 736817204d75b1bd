import { createInterface } from 'node:readline';

interface ConfirmStreams {
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): unknown };
}

/**
 * Asks a question and reads one line. Only "yes" confirms: a key pressed by mistake, the end of the input and Ctrl+C do
 * not. The question goes to standard error, so that the output of the command can be redirected.
 */
export async function confirm(
  question: string,
  signal: AbortSignal,
  { input, output }: ConfirmStreams = { input: process.stdin, output: process.stderr },
): Promise<boolean> {
  output.write(`${question} Type "yes" to continue: `);
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) return line.trim().toLowerCase() === 'yes';
    return false;
  } finally {
    lines.close();
  }
}
