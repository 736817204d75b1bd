import type { Json } from '../../src/base/source-files.ts';
import type { SyntheticXml } from '../file.ts';
import { makeEncoder } from './write-csv.ts';

const CHUNK = 65_536;

/** Encodes an XML file: the inverse of `readXml`. */
export function* encodeXml({ encoding, start, end, element, values }: SyntheticXml): Generator<Buffer> {
  const encode = makeEncoder(encoding);
  let text = start;
  for (const value of values) {
    text += `${writeElement(element, value)}\n`;
    if (text.length < CHUNK) continue;
    yield encode(text);
    text = '';
  }
  yield encode(text + end);
}

function writeElement(name: string, value: Json): string {
  if (Array.isArray(value)) return value.map((item) => writeElement(name, item)).join('');
  if (value === null || typeof value !== 'object') return writeTag(name, '', escapeText(String(value ?? '')));
  let attributes = '';
  let inner = '';
  for (const [key, child] of Object.entries(value)) {
    if (key.startsWith('@')) attributes += ` ${key.slice(1)}="${escapeText(String(child)).replaceAll('"', '&quot;')}"`;
    else inner += key === '#text' ? escapeText(String(child)) : writeElement(key, child);
  }
  return writeTag(name, attributes, inner);
}

function writeTag(name: string, attributes: string, inner: string): string {
  return inner === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${inner}</${name}>`;
}

function escapeText(text: string): string {
  return /[&<>]/.test(text) ? text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;') : text;
}
