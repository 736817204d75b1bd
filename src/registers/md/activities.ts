/** The activity columns hold ids, not CAEM codes: id `1110` is CAEM `0111`. Sheets of the workbook explain them. */
import type { Activity, CodeRow } from '../contract.ts';
import { compact, readText } from '../parsing.ts';

export interface Codes {
  readonly unlicensed: ReadonlyMap<string, Activity>;
  /** Null if the workbook has no such sheet. Then missing labels are not reported as errors of the rows. */
  readonly licensed: ReadonlyMap<string, Activity> | null;
  readonly countries: ReadonlyMap<string, string> | null;
}

/** The scheme of ids that have no CAEM code: all licensed activities, and ids that the sheets lack. */
const OWN_IDS = 'RSUD';

export const VERSION_COLUMNS = ['Versiunea CAEM (1 - CAEM; 2 - CAEM rev.2)', 'Versiunea CAEM'] as const;

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  return {
    unlicensed: new Map((tables.get('unlicensed') ?? []).flatMap(readUnlicensed)),
    licensed: readOptional(tables.get('licensed'), 'ID', (id, row) => {
      return { type: 'licensed', code: id, label: readText(row.Denumire ?? ''), scheme: OWN_IDS };
    }),
    countries: readOptional(tables.get('countries'), 'COD', (code, row) => {
      // Only the first column, `COD`, is certain. The name is taken from whichever other column is filled.
      return (
        Object.entries(row)
          .find(([column, text]) => column !== 'COD' && text.trim() !== '')?.[1]
          .trim() ?? code
      );
    }),
  };
}

function readUnlicensed(row: CodeRow): [string, Activity][] {
  const [id, code] = [readText(row.ID ?? ''), readText(row['Cod CAEM'] ?? '')];
  if (id === null || code === null) return [];
  const edition = VERSION_COLUMNS.map((column) => row[column]?.trim()).find(Boolean);
  const label = readText(row.Denumire ?? '');
  const written = id === code ? {} : { written: id };
  return [[id, { type: 'unlicensed', code, label, scheme: 'CAEM', ...compact({ edition }), ...written }]];
}

function readOptional<T>(
  rows: readonly CodeRow[] | undefined,
  key: string,
  read: (key: string, row: CodeRow) => T,
): ReadonlyMap<string, T> | null {
  if (rows === undefined) return null;
  return new Map(rows.map((row) => [row[key]?.trim() ?? '', read(row[key]?.trim() ?? '', row)]));
}

/** Calls `reportUnknown` for an id that is not in a code sheet. Such an id is kept as the code, without a label. */
export function joinActivities(
  ids: { readonly unlicensed: string; readonly licensed: string },
  codes: Codes,
  reportUnknown: (type: Activity['type'], id: string) => void,
): Activity[] {
  const activities: Activity[] = [];
  for (const id of splitIds(ids.unlicensed)) {
    const known = codes.unlicensed.get(id);
    if (known === undefined) reportUnknown('unlicensed', id);
    addNew(activities, known ?? { type: 'unlicensed', code: id, label: null, scheme: OWN_IDS });
  }
  for (const id of splitIds(ids.licensed)) {
    const known = codes.licensed?.get(id);
    if (known === undefined && codes.licensed !== null) reportUnknown('licensed', id);
    addNew(activities, known ?? { type: 'licensed', code: id, label: null, scheme: OWN_IDS });
  }
  return activities;
}

function splitIds(text: string): readonly string[] {
  if (text.trim() === '') return [];
  const ids = text.split(',').map((id) => id.trim());
  return ids.filter((id, index) => id !== '' && ids.indexOf(id) === index);
}

function addNew(activities: Activity[], added: Activity): void {
  const isThere = activities.some(
    ({ type, scheme, edition, code, label }) =>
      type === added.type &&
      scheme === added.scheme &&
      edition === added.edition &&
      code === added.code &&
      label === added.label,
  );
  if (!isThere) activities.push(added);
}
