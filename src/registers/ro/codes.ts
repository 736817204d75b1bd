/** Status codes and activity labels. A company has several status codes, which mean one status together. */
import { fold } from '../../core/fold.ts';
import type { CodeRow, EntityStatus } from '../contract.ts';

export interface Codes {
  readonly statuses: ReadonlyMap<string, string>;
  /** Whether N_CAEN was given. Without it, an activity without a label is not an unknown one. */
  readonly hasActivities: boolean;
  /** Labels by `activityKey`. */
  readonly activities: ReadonlyMap<string, string>;
}

/** Labels for an import without the list N_STARE_FIRMA, as the register and public readers of the list write them. */
const KNOWN_LABELS: readonly (readonly [string, string])[] = [
  ['1048', 'funcțiune'],
  ['1084', 'radiată'],
  ['2069', 'sediu expirat'],
  ['1052', 'lichidare'],
  ['1139', 'insolvență'],
  ['1049', 'dizolvare'],
  ['1057', 'reorganizare judiciară'],
  ['1070', 'faliment'],
  ['1074', 'întrerupere temporară'],
  ['1107', 'insolvență'],
  ['1109', 'dizolvare de drept'],
  ['1113', 'dizolvare judiciară'],
];

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const labels = (rows: readonly CodeRow[] = [], key: (row: CodeRow) => string) =>
    rows.flatMap((row): [string, string][] => (row.DENUMIRE?.trim() ? [[key(row), row.DENUMIRE.trim()]] : []));
  return {
    statuses: new Map([...KNOWN_LABELS, ...labels(tables.get('N_STARE_FIRMA'), ({ COD = '' }) => COD.trim())]),
    hasActivities: tables.has('N_CAEN'),
    activities: new Map(
      labels(tables.get('N_CAEN'), ({ CLASA = '', VERSIUNE_CAEN = '' }) => activityKey(CLASA, VERSIUNE_CAEN)),
    ),
  };
}

export function activityKey(code: string, version: string): string {
  return `${version.trim()}/${code.trim()}`;
}

const listCodes = (text: string) => new Set(text.split(' '));

/** According to users of the data, companies with these codes no longer trade (first list) or still do (second). */
const CANCELLING = listCodes(
  '1049 1055 1057 1070 1073 1074 1076 1078 1083 1086 1094 1098 1100 1105 1106 1107 1109 1111 1113 1120 1121 1126 1132 1133 ' +
    '1134 1137 1138 1144 1145 1151 1152 1153',
);
const TRADING = listCodes('1036 1050 1053 1054 1067 1069 1110');
/**
 * 2069 is an expired registered office: 187,419 companies in operation have it. The others say that the parent company is
 * insolvent, which is not a status of this company, whatever words their labels have.
 */
const NEUTRAL = listCodes('2069 1037 1038 1146');

/** The most serious meaning of all codes counts. `stopped`: no longer trading, for an unknown reason. */
const RANKS = ['dissolved', 'insolvent', 'in_liquidation', 'inactive', 'stopped', 'active'] as const;
/** `neutral`: the code does not affect the status. */
type Meaning = (typeof RANKS)[number] | 'neutral';

const WORDS: readonly (readonly [RegExp, Meaning])[] = [
  // Comes first: a lifted suspension is not a suspension, a revoked dissolution not a dissolution.
  [/\b(ridicare|ridicat|revocare|revocat|anulare|anulat|respingere|respins)/, 'neutral'],
  [/\bradiat/, 'dissolved'],
  [/insolven|faliment|reorganizare judiciara|concordat/, 'insolvent'],
  [/lichidare|dizolvare|dizolvat/, 'in_liquidation'],
  [/suspend|intrerupere|inactiv/, 'inactive'],
  [/functiune/, 'active'],
];

/** Null for a code without a known meaning: neither its label nor users of the data say what it is. */
function findMeaning(code: string, label: string | undefined): Meaning | null {
  if (NEUTRAL.has(code)) return 'neutral';
  const text = label === undefined ? '' : fold(label);
  const byLabel = WORDS.find(([pattern]) => pattern.test(text))?.[1];
  if (byLabel !== undefined) return byLabel;
  if (CANCELLING.has(code)) return 'stopped';
  return TRADING.has(code) ? 'active' : null;
}

interface CompanyState {
  readonly status: EntityStatus;
  readonly deciding: StatusCode | null;
  readonly statuses: readonly StatusCode[];
  /** Codes without a known meaning. Those with a label count only if no other code decides the status. */
  readonly unknown: readonly string[];
}

type StatusCode = { readonly code: string; readonly label?: string };

/** The codes have no dates, so the complete set decides, not the last row. */
export function decideStatus(codes: readonly string[], { statuses: labels }: Codes): CompanyState {
  const meanings = codes.map((code) => findMeaning(code, labels.get(code)));
  const worst = RANKS.find((rank) => meanings.includes(rank));
  const statuses = codes.map((code): StatusCode => {
    const label = labels.get(code);
    return label === undefined ? { code } : { code, label };
  });
  return {
    status: worst === undefined || worst === 'stopped' ? 'unknown' : worst,
    deciding: (worst === undefined ? undefined : statuses[meanings.indexOf(worst)]) ?? null,
    statuses,
    unknown: codes.filter((code, index) => meanings[index] === null && (worst === undefined || !labels.has(code))),
  };
}

/** The one status of the old layouts, which may be a code or a label: that is not documented. Null if it is neither. */
export function readOldStatus(status: string, codes: Codes): EntityStatus | null {
  const known = decideStatus([status], codes);
  if (known.unknown.length === 0) return known.status;
  const byText = decideStatus(['text'], { ...codes, statuses: new Map([['text', status]]) });
  return byText.unknown.length === 0 ? byText.status : null;
}
