import { StringDecoder } from 'node:string_decoder';

/** The service takes messages of 64 KiB, so longer ones are mistakes, and must not fill the memory. */
const MAX_LENGTH = 4 * 2 ** 20;

export const TOO_LONG = Symbol('a line that is too long');

/** The lines of a stream that are not empty. The last one needs no line break. */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string | typeof TOO_LONG> {
  const decoder = new StringDecoder('utf8');
  let start = '';
  let isTooLong = false;

  function end(rest: string): string | typeof TOO_LONG | undefined {
    const line = isTooLong || start.length + rest.length > MAX_LENGTH ? TOO_LONG : (start + rest).trim();
    start = '';
    isTooLong = false;
    return line === '' ? undefined : line;
  }

  for await (const chunk of input) {
    const parts = decoder.write(Buffer.from(chunk)).split('\n');
    const last = parts.pop() ?? '';
    for (const part of parts) {
      const line = end(part);
      if (line !== undefined) yield line;
    }
    isTooLong ||= start.length + last.length > MAX_LENGTH;
    start = isTooLong ? '' : start + last;
  }
  const line = end(decoder.end());
  if (line !== undefined) yield line;
}
