import type { Activity, Cell, MapContext } from '../contract.ts';
import { readCount } from '../parsing.ts';
import { SIC_COLUMNS } from './columns.ts';

const SCHEME = 'UK SIC';
const NO_ACTIVITY = 'none supplied';

export function readActivities(cell: Cell, context: MapContext<null>): Activity[] {
  const activities: Activity[] = [];
  for (const column of SIC_COLUMNS) {
    const text = cell(column).trim();
    const activity = text === '' ? null : readActivity(text, column, context);
    if (activity === null) continue;
    const isKnown = activities.some(({ code, label }) => code === activity.code && label === activity.label);
    if (!isKnown) activities.push(activity);
  }
  return activities;
}

/** `62020 - Information technology consultancy activities`. Codes of SIC 2007 have five digits, those of 2003 four. */
function readActivity(text: string, column: string, context: MapContext<null>): Activity | null {
  const dash = text.indexOf(' - ');
  const code = dash < 0 ? text : text.slice(0, dash);
  if ((code.length === 5 || code.length === 4) && readCount(code) !== null) {
    const edition = code.length === 5 ? '2007' : '2003';
    if (dash < 0) return { type: 'unlicensed', code, label: null, scheme: SCHEME, edition };
    return { type: 'unlicensed', code, label: text.slice(dash + 3).trim(), scheme: SCHEME, edition, written: text };
  }
  if (text.toLowerCase() === NO_ACTIVITY) return null;
  context.reportUnknown('activity', column, text);
  return { type: 'unlicensed', code: null, label: text, scheme: SCHEME };
}
