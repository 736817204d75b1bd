import type { SyntheticJson } from '../file.ts';

const CHUNK = 65_536;

/** Encodes a JSON file: one array, or one record per line. */
export function* encodeJson({ layout, values }: SyntheticJson): Generator<Buffer> {
  const [open, between, close] = layout === 'array' ? ['[\n', ',\n', '\n]\n'] : ['', '\n', '\n'];
  let text = open;
  let separator = '';
  for (const value of values) {
    text += separator + JSON.stringify(value);
    separator = between;
    if (text.length < CHUNK) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text + close);
}
