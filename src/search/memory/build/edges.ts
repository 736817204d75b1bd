/** The first and last two characters of words, by which `bridges.ts` tells where one word ends and the next begins. */

/** The edge of each word, as its number. */
export class Edges {
  of: Uint32Array;
  readonly #numbers = new Map<string, number>();

  get count(): number {
    return this.#numbers.size;
  }

  constructor(wordCount: number) {
    this.of = new Uint32Array(wordCount);
  }

  set(word: number, edge: string): void {
    let number = this.#numbers.get(edge);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(edge, number);
    }
    this.of[word] = number;
  }

  /** Numbers the edges in order of what `keyOf` makes of them. */
  sort(keyOf: (edge: string) => string): string[] {
    const edges = [...this.#numbers.keys()];
    const order = edges.map((edge, number) => ({ edge, number, key: keyOf(edge) }));
    order.sort((a, b) => (a.key < b.key ? -1 : 1));
    const ranks = new Uint32Array(edges.length);
    for (const [rank, { number }] of order.entries()) ranks[number] = rank;
    this.of = this.of.map((number) => ranks[number] as number);
    return order.map(({ edge }) => edge);
  }
}
