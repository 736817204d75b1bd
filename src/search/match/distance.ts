/**
 * The cost of the edits between two words: letters inserted, removed, replaced or swapped. Letters that people and scanners often confuse
 * cost less, and digits cost more. Stops, and returns more than `budget`, as soon as the cost certainly exceeds it.
 */
export function editCost(a: string, b: string, budget: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) * CHEAP > budget) return budget + 1;
  if (haveOtherLetters(a, b, 2 * Math.floor(budget / CHEAP))) return budget + 1;
  // Cells further from the diagonal exceed the budget, because every step away from the diagonal has a cost.
  const band = Math.floor(budget / CHEAP);
  if (b.length + 2 > rows[0].length) rows = createRows(b.length + 2);
  let [before, previous, current] = rows;
  previous[0] = 0;
  for (let column = 1; column <= Math.min(b.length, band); column++)
    previous[column] = (previous[column - 1] as number) + gap(b, column - 1);
  previous[band + 1] = Number.POSITIVE_INFINITY;
  for (let row = 1; row <= a.length; row++) {
    const removed = gap(a, row - 1);
    const [first, last] = [Math.max(1, row - band), Math.min(b.length, row + band)];
    let least = first === 1 ? (previous[0] as number) + removed : Number.POSITIVE_INFINITY;
    current[first - 1] = least;
    for (let column = first; column <= last; column++) {
      let cost = (previous[column - 1] as number) + replacement(a.charCodeAt(row - 1), b.charCodeAt(column - 1));
      cost = Math.min(
        cost,
        (previous[column] as number) + removed,
        (current[column - 1] as number) + gap(b, column - 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (before[column - 2] as number) + SWAP);
      }
      current[column] = cost;
      if (cost < least) least = cost;
    }
    current[last + 1] = Number.POSITIVE_INFINITY;
    if (least > budget) return budget + 1;
    [before, previous, current] = [previous, current, before];
  }
  return previous[b.length] as number;
}

/** Whether more than `most` letters are in only one of the words. An edit changes at most two letters. This rules out most pairs of words. */
function haveOtherLetters(a: string, b: string, most: number): boolean {
  let letters = 0;
  for (let at = 0; at < a.length; at++) letters |= 1 << (a.charCodeAt(at) & 31);
  let others = 0;
  for (let at = 0; at < b.length; at++) others |= 1 << (b.charCodeAt(at) & 31);
  let count = 0;
  for (let bits = letters ^ others; bits !== 0; bits &= bits - 1) if (++count > most) return true;
  return false;
}

/** The rows of the table of costs. They are reused, because `editCost` is called for most pairs of words of most candidates. */
let rows = createRows(80);

function createRows(width: number) {
  return [new Float64Array(width), new Float64Array(width), new Float64Array(width)] as const;
}

/** The cost of typos that a word of this length may have. It is 0 for short words, in which another letter makes another word. */
export function typoBudget(length: number): number {
  if (length < 4) return 0;
  if (length < 8) return 1;
  return length < 10 ? 1.5 : length < 13 ? 2 : 2.5;
}

const CHEAP = 0.5;
const SWAP = 0.8;
const DIGIT = 3;

/** The cost of an inserted or removed letter. A doubled letter (`Wallmart`) or the e of an umlaut (`Mueller`) costs less. */
function gap(word: string, at: number): number {
  const code = word.charCodeAt(at);
  if (code <= NINE) return DIGIT;
  const before = word.charCodeAt(at - 1);
  if (code === before) return CHEAP;
  return code === E && (before === A || before === O || before === U) ? CHEAP : 1;
}

function replacement(a: number, b: number): number {
  if (a === b) return 0;
  if ((a | b) < ASCII && LOOK_ALIKES[a * ASCII + b] === 1) return CHEAP;
  if (a <= NINE || b <= NINE) return DIGIT;
  return 1;
}

const NINE = 57;
const [A, E, O, U] = [97, 101, 111, 117];
const ASCII = 128;
/** For each pair of characters, whether the two look alike. */
const LOOK_ALIKES = new Uint8Array(ASCII * ASCII);
for (const pair of '0o 1l 1i 5s 8b 2z ck iy sz vw uv ij il mn ae ou'.split(' ')) {
  const [a, b] = [pair.charCodeAt(0), pair.charCodeAt(1)];
  LOOK_ALIKES[a * ASCII + b] = 1;
  LOOK_ALIKES[b * ASCII + a] = 1;
}
