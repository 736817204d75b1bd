/** The dates of persons with significant control. Companies type them by hand: some are impossible, which are reported and left out. */
import type { MapContext } from '../contract.ts';
import { readDate, type Tree, textOf } from '../parsing.ts';

interface Period {
  readonly from: string | null;
  readonly until: string | null;
}

/** Companies and partnerships have to say who controls them since this day. Overseas entities also name earlier days. */
const FIRST_DAY = '2016-04-06';
const LAST_DAY = '2100-01-01';

export function readPeriod(data: Tree, isOverseas: boolean, context: Pick<MapContext<null>, 'report'>): Period {
  const read = (key: string, first: string) => {
    const text = textOf(data, key);
    const day = readDate(text);
    const isPossible = day !== null && day >= first && day < LAST_DAY;
    if (text !== '' && !isPossible) context.report(key, text, day === null ? 'not a date' : 'not a possible date');
    return isPossible ? day : null;
  };
  const first = isOverseas ? '1900-01-01' : FIRST_DAY;
  const from = read('notified_on', first);
  const until = read('ceased_on', first);
  if (from === null || until === null || from <= until) return { from, until };
  context.report('ceased_on', until, 'before the first day');
  return { from, until: null };
}
