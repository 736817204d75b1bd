/** Status codes. A company has several, without dates, so that the complete set decides. */
import { fold } from '../../base/fold.ts';
import { readCodeLists } from '../data-files.ts';
import type { State } from '../fields.ts';

const lists = readCodeLists('ro');
/** The labels for an import without the list N_STARE_FIRMA. */
export const KNOWN_LABELS = lists.labels('label');

/** The most serious meaning of all codes counts. `stopped`: no longer trading, for an unknown reason. */
const RANKS = ['dissolved', 'insolvent', 'in_liquidation', 'inactive', 'stopped', 'active'] as const;
/** `neutral`: the code does not affect the status. */
type Meaning = (typeof RANKS)[number] | 'neutral';

const NEUTRAL = lists.meanings<Meaning>('neutral');
const MEANINGS = lists.meanings<Meaning>('meaning');

const findWords = lists.patterns<Meaning>('words');

/** Undefined for a code whose meaning is known neither from its label nor from users of the data. */
function findMeaning(code: string, label = ''): Meaning | undefined {
  return NEUTRAL.get(code) ?? findWords(fold(label)) ?? MEANINGS.get(code);
}

type StatusCode = { readonly code: string; readonly label?: string };

/** `unknown` has the codes without a known meaning. A code with a label is left out if another code decides the status. */
export function decideStatus(codes: readonly string[], labels: ReadonlyMap<string, string>) {
  const meanings = codes.map((code) => findMeaning(code, labels.get(code)));
  const worst = RANKS.find((rank) => meanings.includes(rank));
  const statuses = codes.map((code): StatusCode => {
    const label = labels.get(code);
    return label === undefined ? { code } : { code, label };
  });
  return {
    status: worst === undefined || worst === 'stopped' ? ('unknown' as const) : worst,
    deciding: (worst === undefined ? undefined : statuses[meanings.indexOf(worst)]) ?? null,
    statuses,
    unknown: codes.filter((code, at) => meanings[at] === undefined && (worst === undefined || !labels.has(code))),
  };
}

/** The one status of the old layouts. Whether the status is a code or a label is not documented. Null if it is neither. */
export function readOldStatus(status: string, labels: ReadonlyMap<string, string>): State['status'] | null {
  const known = decideStatus([status], labels);
  if (known.unknown.length === 0) return known.status;
  const byText = decideStatus(['text'], new Map([['text', status]]));
  return byText.unknown.length === 0 ? byText.status : null;
}
