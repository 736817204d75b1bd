import type { EntitySummary } from '../../../core/entity-summary.ts';
import type { Candidate, CandidateName } from '../../../matching/candidates.ts';
import type { IndexPart } from '../answer/engine.ts';
import { createPageWriter } from '../answer/page-writer.ts';
import { readId } from '../update/document-order.ts';

export type ReadCandidate = (part: number, doc: number) => Candidate;

/** Of most candidates only the names are compared, so everything is read when it is first asked for. */
export function createCandidateReader(parts: readonly IndexPart[]): ReadCandidate {
  const writer = createPageWriter();
  const writers = parts.map((part) => part.writer);
  const readEntity = (part: number, doc: number): EntitySummary => {
    const page = { docs: Uint32Array.of(doc), parts: Uint8Array.of(part) };
    return JSON.parse(Buffer.from(writer.writeLines(page, writers)).toString());
  };
  return (part, doc) => new IndexedCandidate(parts[part] as IndexPart, doc, () => readEntity(part, doc));
}

class IndexedCandidate implements Candidate {
  readonly #part: IndexPart;
  readonly #doc: number;
  readonly #readEntity: () => EntitySummary;
  #entity: EntitySummary | undefined;
  #names: CandidateName[] | undefined;
  postcode: string | null = null;

  constructor(part: IndexPart, doc: number, readEntity: () => EntitySummary) {
    this.#part = part;
    this.#doc = doc;
    this.#readEntity = readEntity;
  }

  get entity(): EntitySummary {
    this.#entity ??= this.#readEntity();
    return this.#entity;
  }

  get id(): string {
    const hex = Buffer.from(readId(this.#part.index.arrays, this.#doc)).toString('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  get countryCode(): string {
    const { arrays, texts } = this.#part.index;
    return texts.columns.countryCode.at(arrays['summary.countryCode'][this.#doc] as number) as string;
  }

  get names(): CandidateName[] {
    this.#names ??= this.#readNames();
    return this.#names;
  }

  #readNames(): CandidateName[] {
    const { 'summary.canonicalName.text': text, 'summary.canonicalName.starts': starts } = this.#part.index.arrays;
    // The text of a JSON string.
    const written = readText(text, starts[this.#doc] as number, starts[this.#doc + 1] as number);
    const name = written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
    return [{ text: name, kind: 'current' }, ...this.#part.match.otherNames.read(this.#doc)];
  }

  /** Without separators: of a number that has some, the form that follows a tab (`numberKeys`). */
  get numbers(): string[] {
    const { numberText, numberStarts } = this.#part.index.arrays;
    const text = readText(numberText, numberStarts[this.#doc] as number, numberStarts[this.#doc + 1] as number);
    return text === '' ? [] : text.split('\n').map((line) => line.slice(line.indexOf('\t') + 1));
  }
}

/** A view, because copying bytes first takes longer. */
function readText(text: Uint8Array, from: number, to: number): string {
  return Buffer.from(text.buffer, text.byteOffset + from, to - from).toString();
}
