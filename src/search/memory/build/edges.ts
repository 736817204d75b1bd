/**
 * Numbers the edges of words: their first two characters (heads) or their last two (tails), see `bridges.ts`. Two
 * characters are a compromise: shorter edges leave more documents to check in a bridge, longer ones create more
 * bridges.
 */
export class Edges {
  /** The number of each word's edge. */
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

  /** Numbers the edges again, in the order of their keys, and returns them in that order. */
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
