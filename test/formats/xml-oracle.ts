import { SaxesParser } from 'saxes';
import type { Json } from '../../src/core/source-files.ts';

/** Reads the same records with a general, validating parser. */
export function readBySaxes(text: string, element: string): Json[] {
  const records: Json[] = [];
  const path: { name: string; node: { [key: string]: Json }; text: string }[] = [];
  const parser = new SaxesParser({ xmlns: false });
  const addText = (part: string) => {
    const open = path.at(-1);
    if (open !== undefined) open.text += part;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('opentag', ({ name, attributes }) => {
    if (path.length === 0 && name.slice(name.indexOf(':') + 1) !== element) return;
    const node = Object.fromEntries(Object.entries(attributes).map(([key, value]) => [`@${key}`, value]));
    path.push({ name, node, text: '' });
  });
  parser.on('closetag', () => {
    const open = path.pop();
    if (open === undefined) return;
    const { name, node, text } = open;
    const value = Object.keys(node).length === 0 ? text : text.trim() === '' ? node : { ...node, '#text': text };
    const parent = path.at(-1)?.node;
    const present = parent?.[name];
    if (parent === undefined) records.push(value);
    else if (present === undefined) parent[name] = value;
    else parent[name] = Array.isArray(present) ? [...present, value] : [present, value];
  });
  parser.write(text).close();
  return records;
}
