import { printableJson as renderJson } from '../../../clients/typescript/src/cli/text.ts';

/** Makes text safe to print. Shared with the client's command line, which prints the same companies. */
export { printable } from '../../../clients/typescript/src/cli/text.ts';

export function printableJson(value: unknown): string {
  return renderJson(value, 2);
}

export function print(text: string): void {
  process.stdout.write(text);
}
