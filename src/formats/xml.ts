import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { Json } from '../core/source-files.ts';
import { decodeText, EncodingError, peekBytes } from './decode.ts';
import { BATCH, type Batches, FormatError, type SourceRow } from './rows.ts';

/**
 * Every element of that local name as a nested object: attributes as `@name`, an element with neither attributes nor
 * children as its text, other text as `#text`, repeated children as an array. Keys keep their prefixes. Elements of the name
 * inside another are part of it.
 */
export async function* readXml(bytes: AsyncIterable<Uint8Array>, element: string): Batches<Json> {
  const { start, all } = await peekBytes(bytes, 256);
  const builder = new RecordBuilder(element);
  try {
    for await (const text of decodeText(all, findEncoding(start))) {
      builder.parser.write(text);
      if (builder.rows.length >= BATCH) yield builder.takeRows();
    }
    builder.parser.close();
  } catch (error) {
    throw error instanceof FormatError ? error : builder.explain(error);
  }
  if (builder.rows.length > 0) yield builder.takeRows();
}

/** As the declaration says; a mark at the start says it more surely, which the decoder sees to. */
function findEncoding(start: Uint8Array): string {
  const text = Buffer.from(start).toString('latin1');
  return /^<\?xml[^>]*\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(text)?.[1] ?? 'utf-8';
}

type Node = { [key: string]: Json };

interface Open {
  readonly name: string;
  readonly node: Node;
  text: string;
}

class RecordBuilder {
  rows: SourceRow<Json>[] = [];
  readonly parser = new SaxesParser({ xmlns: false });
  readonly #path: Open[] = [];
  #records = 0;

  constructor(element: string) {
    this.parser.on('opentag', (tag) => {
      if (this.#path.length > 0 || stripPrefix(tag.name) === element) this.#open(tag);
    });
    this.parser.on('text', (text) => this.#addText(text));
    this.parser.on('cdata', (text) => this.#addText(text));
    this.parser.on('closetag', () => {
      if (this.#path.length > 0) this.#close();
    });
  }

  takeRows(): SourceRow<Json>[] {
    const { rows } = this;
    this.rows = [];
    return rows;
  }

  explain(error: unknown): unknown {
    const place = `record ${this.#records + 1}`;
    if (error instanceof EncodingError) {
      return new FormatError(`${place}: ${error.message}, which the file says it is: it was saved in another encoding`);
    }
    if (!(error instanceof Error) || 'code' in error) return error;
    return new FormatError(`${place}: the XML is truncated or damaged (${error.message}): download it again`);
  }

  #open(tag: SaxesTagPlain): void {
    const node: Node = {};
    for (const [name, value] of Object.entries(tag.attributes)) node[`@${name}`] = value;
    this.#path.push({ name: tag.name, node, text: '' });
  }

  #addText(text: string): void {
    const open = this.#path.at(-1);
    if (open !== undefined) open.text += text;
  }

  #close(): void {
    const { name, node, text } = this.#path.pop() as Open;
    const parent = this.#path.at(-1);
    const value = finish(node, text);
    if (parent !== undefined) addChild(parent.node, name, value);
    else {
      this.#records += 1;
      this.rows.push({ place: this.#records, value });
    }
  }
}

function stripPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** White space between children is layout, not content. */
function finish(node: Node, text: string): Json {
  for (const _key in node) return text.trim() === '' ? node : { ...node, '#text': text };
  return text;
}

function addChild(parent: Node, name: string, value: Json): void {
  const present = parent[name];
  if (present === undefined) parent[name] = value;
  else if (Array.isArray(present)) present.push(value);
  else parent[name] = [present, value];
}
