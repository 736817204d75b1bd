import { styleText } from 'node:util';
import { cutText, findTextWidth } from '../../terminal/width.ts';

/** What a person sees while the service starts and stops. Programs read the log instead. */
export interface StartDisplay {
  start(title: string): void;
  /** Shows what is being done. It replaces what was shown before, unless that was completed. */
  begin(text: string): void;
  /** Keeps a line about what is done. */
  complete(text: string): void;
  print(text: string): void;
}

/** Each step is one line, which is overwritten until the step is complete. */
export function createTerminalDisplay(terminal: NodeJS.WriteStream): StartDisplay {
  const paint = (format: Parameters<typeof styleText>[0], text: string) =>
    styleText(format, text, { stream: terminal });
  return {
    start: (title) => terminal.write(`\n  ${paint('bold', title)}\n\n`),
    begin(text) {
      // A line that wraps could not be written over.
      const line = cutText(`  · ${text} …`, findTextWidth(terminal) - 1);
      terminal.write(`\r\x1b[K${paint('dim', line)}`);
    },
    complete: (text) => terminal.write(`\r\x1b[K  ${paint('green', '✓')} ${text}\n`),
    print: (text) => terminal.write(`\r\x1b[K${text}`),
  };
}

/** Prints text only. The steps are in the log. */
export function createPlainDisplay(out: NodeJS.WritableStream): StartDisplay {
  const skip = () => undefined;
  return { start: skip, begin: skip, complete: skip, print: (text) => out.write(text) };
}
