import type { Box, Chart, ChartLink } from './graph.ts';

/**
 * Places boxes in bands, one per level, and routes links through the channels between them: each link leaves its owner at the bottom and
 * enters its company at the top. Boxes of a band that has several lines are reached by a lane at the left of their column.
 */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly PlacedBox[];
  readonly lines: readonly Line[];
}

export interface PlacedBox {
  readonly box: Box;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly link: ChartLink;
  readonly points: readonly Point[];
}

export type Point = readonly [x: number, y: number];

export const BOX = { width: 240, height: 68 } as const;
const LANE = 14;
const GAP = { column: 2 * LANE, line: 26, channel: 44, bus: 9 } as const;
/** Room for the labels on the upper edge of the first boxes. */
const TOP = 20;

interface Cell {
  readonly column: number;
  readonly line: number;
  readonly band: number;
}

interface Band {
  readonly columns: number;
  readonly lines: number;
}

/** A link, and the channels that it uses. Links of one `bus` share a horizontal line. */
interface Route {
  readonly link: ChartLink;
  readonly buses: readonly { readonly channel: number; readonly key: string }[];
}

export function layOut({ boxes, links }: Chart, maxColumns: number): Layout {
  const order = orderLevels(boxes, links);
  const bands: Band[] = order.map((members) => {
    const columns = Math.min(members.length, maxColumns);
    return { columns, lines: Math.ceil(members.length / columns) };
  });
  const cells: Cell[] = [];
  for (const [band, members] of order.entries()) {
    const { columns } = bands[band] as Band;
    for (const [at, box] of members.entries())
      cells[box] = { band, column: at % columns, line: Math.floor(at / columns) };
  }
  const cell = (box: number) => cells[box] as Cell;
  const routes = links.map((link) => route(link, cell(link.party).band, cell(link.company).band, boxes));
  const channels = bands.concat({ columns: 0, lines: 0 }).map((_, channel) => listBuses(routes, channel));
  const tops = placeBands(bands, channels);
  const inner = Math.max(...bands.map(({ columns }) => columns * (BOX.width + GAP.column))) + GAP.column;
  const detours = routes.filter(({ buses }) => buses.length > 1);

  const boxAt = (box: number): Point => {
    const { band, column, line } = cell(box);
    const left = (inner - (bands[band] as Band).columns * (BOX.width + GAP.column)) / 2 + LANE;
    return [left + column * (BOX.width + GAP.column), (tops[band] as number) + line * (BOX.height + GAP.line)];
  };
  const busAt = ({ channel, key }: Route['buses'][number]): number => {
    const buses = channels[channel] as readonly string[];
    const bottom = channel === 0 ? 0 : endOf(bands[channel - 1] as Band, tops[channel - 1] as number);
    const next = tops[channel] ?? bottom + roomFor(buses.length);
    const middle = (bottom + next) / 2 - ((buses.length - 1) * GAP.bus) / 2;
    return middle + buses.indexOf(key) * GAP.bus;
  };
  /** From the owner down to a line. Below it there may be other boxes. */
  const leave = (box: number, to: number, shift: number): Point[] => {
    const [x, y] = boxAt(box);
    const { band, line, column } = cell(box);
    const isLast = !cells.some((other) => other.band === band && other.column === column && other.line > line);
    const center = x + BOX.width / 2 + shift;
    const middle = y + BOX.height / 2;
    return isLast ? through(center, y + BOX.height, center, to) : through(x, middle, x - LANE, middle, x - LANE, to);
  };
  const enter = (box: number, from: number, shift: number): Point[] => {
    const [x, y] = boxAt(box);
    const center = x + BOX.width / 2 + shift;
    const middle = y + BOX.height / 2;
    if (cell(box).line === 0) return through(center, from, center, y);
    return through(x - LANE, from, x - LANE, middle, x, middle);
  };
  const draw = (one: Route): Line => {
    const [first, last] = [one.buses[0], one.buses.at(-1)] as [Route['buses'][number], Route['buses'][number]];
    const { company, party } = one.link;
    const aside = detours.indexOf(one);
    if (aside === -1)
      return { link: one.link, points: [...leave(party, busAt(first), 0), ...enter(company, busAt(last), 0)] };
    const x = inner + aside * GAP.bus;
    const [down, up] = [busAt(first), busAt(last)];
    const points: Point[] = [...leave(party, down, LANE), [x, down], [x, up], ...enter(company, up, LANE)];
    return { link: one.link, points };
  };

  const last = bands.length - 1;
  const end = endOf(bands[last] as Band, tops[last] as number);
  return {
    width: inner + Math.max(0, detours.length - 1) * GAP.bus + (detours.length > 0 ? LANE : 0),
    height: end + roomFor((channels.at(-1) ?? []).length) + 1,
    boxes: boxes.map((box, index) => {
      const [x, y] = boxAt(index);
      return { box, x, y };
    }),
    lines: routes.map(draw),
  };
}

/** A line from its coordinates, x and y in turn. */
function through(...coordinates: readonly number[]): Point[] {
  return coordinates.flatMap((x, at) => (at % 2 === 0 ? [[x, coordinates[at + 1] ?? 0]] : []));
}

/** The boxes of each level, the highest level first. Owners are near what they own. */
function orderLevels(boxes: readonly Box[], links: readonly ChartLink[]): number[][] {
  const byLevel = Map.groupBy(boxes.keys(), (index) => (boxes[index] as Box).level);
  const levels = [...byLevel.keys()].sort((a, b) => a - b);
  const position = new Map<number, number>();
  const ordered = levels.map((level) => {
    const members = byLevel.get(level) ?? [];
    const center = (box: number) => {
      const owned = links.flatMap(({ company, party }) => (party === box ? (position.get(company) ?? []) : []));
      return owned.length === 0 ? 1 : owned.reduce((sum, at) => sum + at, 0) / owned.length;
    };
    const sorted = level <= 1 ? members : members.toSorted((a, b) => center(a) - center(b));
    for (const [at, box] of sorted.entries()) position.set(box, (at + 1) / (sorted.length + 1));
    return sorted;
  });
  return ordered.reverse();
}

/** A link to the next band takes the channel between them. Others go around the bands between them, or back up. */
function route(link: ChartLink, from: number, to: number, boxes: readonly Box[]): Route {
  const isAbove = (boxes[link.company] as Box).level >= 0;
  const key = isAbove ? `company ${link.company}` : `party ${link.party}`;
  if (to === from + 1) return { link, buses: [{ channel: to, key }] };
  const own = `${link.party} ${link.company}`;
  return {
    link,
    buses: [
      { channel: from + 1, key: `from ${own}` },
      { channel: to, key: `to ${own}` },
    ],
  };
}

function listBuses(routes: readonly Route[], channel: number): string[] {
  return [...new Set(routes.flatMap(({ buses }) => buses.flatMap((bus) => (bus.channel === channel ? bus.key : []))))];
}

function placeBands(bands: readonly Band[], channels: readonly (readonly string[])[]): number[] {
  const tops: number[] = [];
  let y = TOP + roomFor((channels[0] ?? []).length);
  for (const [index, band] of bands.entries()) {
    tops.push(y);
    y = endOf(band, y) + GAP.channel + Math.max(0, (channels[index + 1] ?? []).length - 1) * GAP.bus;
  }
  return tops;
}

function endOf({ lines }: Band, top: number): number {
  return top + lines * (BOX.height + GAP.line) - GAP.line;
}

/** Above the first band and below the last one. */
function roomFor(buses: number): number {
  return buses === 0 ? 0 : (buses + 1) * GAP.bus;
}

/** Text in boxes of a drawing. The width of letters is estimated: the server does not know the font. */

const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ilj.,:;'|!()[\]I]/, 0.3],
  [/[frt\s/-]/, 0.37],
  [/[mwMW@%&]/, 0.9],
  [/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Extended_Pictographic}/u, 1.05],
  [/\p{Lu}/u, 0.69],
  [/\p{M}/u, 0],
];

/** In units of the font size. */
export function estimateWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += WIDTHS.find(([pattern]) => pattern.test(letter))?.[1] ?? 0.57;
  return width;
}

/** The text in at most so many lines. What does not fit is replaced by an ellipsis. */
export function fitText(text: string, width: number, maxLines: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '') {
    if (lines.length === maxLines - 1) return [...lines, cut(rest, width)];
    const line = takeWords(rest, width);
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

/** As many words as fit. A word that is longer than a line is broken. */
function takeWords(text: string, width: number): string {
  if (estimateWidth(text) <= width) return text;
  let taken = '';
  for (const word of text.split(/(?=\s)/)) {
    if (estimateWidth(taken + word) > width) break;
    taken += word;
  }
  return taken === '' ? takeLetters(text, width) : taken;
}

function cut(text: string, width: number): string {
  return estimateWidth(text) <= width ? text : `${takeLetters(text, width - 0.8).trimEnd()}…`;
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

function takeLetters(text: string, width: number): string {
  let taken = '';
  for (const { segment } of letters.segment(text)) {
    if (taken !== '' && estimateWidth(taken + segment) > width) break;
    taken += segment;
  }
  return taken;
}
