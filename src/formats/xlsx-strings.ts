import { formatCount } from '../core/format-count.ts';
import { MAX_SHARED_STRINGS } from './limits.ts';
import { FormatError } from './rows.ts';

const PAGE = 1024 * 1024;

/**
 * The shared strings of a workbook, stored as UTF-8 in pages. There may be over a million: as JavaScript strings each
 * would be an object for the garbage collector, with two bytes per character as soon as one is outside Latin-1.
 */
export class SharedStrings {
  readonly #pages: Buffer[] = [];
  /** Page number × page size + offset in the page. No string crosses a page boundary. */
  #starts = new Uint32Array(4096);
  #lengths = new Uint32Array(4096);
  #count = 0;
  #free = 0;

  add(text: string): void {
    const length = Buffer.byteLength(text);
    if (length > PAGE) throw new FormatError('a cell has more text than a workbook allows: the file is damaged');
    if (length > this.#free || this.#pages.length === 0) {
      if (this.#pages.length * PAGE >= MAX_SHARED_STRINGS) {
        throw new FormatError(
          `the shared strings take more than ${formatCount(MAX_SHARED_STRINGS)} bytes: the file is damaged`,
        );
      }
      this.#pages.push(Buffer.allocUnsafeSlow(PAGE));
      this.#free = PAGE;
    }
    const offset = PAGE - this.#free;
    this.#pages.at(-1)?.write(text, offset);
    if (this.#count === this.#starts.length) {
      this.#starts = grow(this.#starts);
      this.#lengths = grow(this.#lengths);
    }
    this.#starts[this.#count] = (this.#pages.length - 1) * PAGE + offset;
    this.#lengths[this.#count] = length;
    this.#count += 1;
    this.#free -= length;
  }

  get(index: number): string {
    const start = this.#starts[index];
    if (start === undefined || !(index < this.#count)) {
      throw new FormatError(`a cell refers to shared string ${index} of ${this.#count}: the file is damaged`);
    }
    const offset = start % PAGE;
    const page = this.#pages[(start - offset) / PAGE] as Buffer;
    return page.toString('utf8', offset, offset + (this.#lengths[index] as number));
  }
}

function grow(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}
