/** The main activity of a subject, and its rows of `res_pf_nace`. */
import type { Activity, Cell, JoinedRows, MapContext } from '../contract.ts';
import { compact } from '../parsing.ts';
import { type Codes, LISTS } from './codes.ts';

export const ACTIVITIES = 'res_pf_nace';

const SCHEME = 'CZ-NACE';
const EDITIONS: ReadonlyMap<number, string> = new Map([
  [LISTS.nace, '2008'],
  [LISTS.nace2025, '2025'],
]);

/** RES adds these to CZ-NACE for subjects without a known activity: a free trade without a field, and not determined. */
const NO_ACTIVITY = new Set(['', '00', '04']);

/**
 * The main activity in both editions of CZ-NACE, then those of `res_pf_nace`; each code of a list once, with the codes
 * of all registers that declare it. The rows of list 56 are legal forms. A former sole trader has one row without a list.
 */
export function readActivities(cell: Cell, rows: JoinedRows, context: MapContext<Codes>) {
  const found = new Map<string, Activity>();
  const legalForms = new Map<string, string[]>();
  const sources = new Map<string, string[]>();
  const add = (list: number, column: string, code: string, isMain: boolean) => {
    const key = `${list}/${code}`;
    if (NO_ACTIVITY.has(code) || found.has(key)) return;
    const activity = describeActivity(list, code, context.codes);
    const isUnknown = activity.label === null && (context.codes.has(list) || !EDITIONS.has(list));
    if (isUnknown) context.reportUnknown('activity', column, EDITIONS.has(list) ? code : key);
    found.set(key, isMain ? { ...activity, main: true } : activity);
  };
  add(LISTS.nace, 'NACE', cell('NACE').trim(), true);
  add(LISTS.nace2025, 'NACE2025', cell('NACE2025').trim(), true);
  for (const row of rows(ACTIVITIES)) {
    const [list, code, source] = [row('KODCIS').trim(), row('HODN').trim(), row('ZDRUD').trim()];
    if (list === '' || code === '') continue;
    if (Number(list) === LISTS.legalForm) addTo(legalForms, code, source);
    else {
      add(Number(list), 'HODN', code, false);
      addTo(sources, `${Number(list)}/${code}`, source);
    }
  }
  return {
    activities: Array.from(found, ([key, activity]) => {
      const declaredIn = sources.get(key);
      return declaredIn === undefined ? activity : { ...activity, national: { sources: declaredIn } };
    }),
    listedLegalForms: Array.from(legalForms, ([code, sources]) =>
      compact({ code, label: context.codes.label(LISTS.legalForm, code), sources }),
    ),
    activitySources: describeSources([...sources.values(), ...legalForms.values()].flat(), context.codes),
  };
}

/** A list that is not an edition of CZ-NACE is unknown. Its codes are kept under the number of the list. */
function describeActivity(list: number, code: string, codes: Codes): Activity {
  const edition = EDITIONS.get(list);
  const scheme = edition === undefined ? `ČSÚ ${list}` : SCHEME;
  return {
    type: 'unlicensed',
    code,
    label: codes.label(list, code),
    scheme,
    ...(edition !== undefined && { edition }),
  };
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  if (item !== '' && !known.includes(item)) known.push(item);
}

/** The texts of the sources by code, once per record: repeated in every activity they would take gigabytes. */
function describeSources(used: readonly string[], codes: Codes) {
  const texts = Array.from(new Set(used), (code) => [code, codes.label(LISTS.activitySource, code)]);
  return compact(Object.fromEntries(texts));
}
