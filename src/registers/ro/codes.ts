import { fold } from '../../core/fold.ts';
import type { CodeRow, EntityStatus } from '../contract.ts';
import { readText } from '../vocabulary.ts';

export interface Codes {
  readonly statuses: ReadonlyMap<string, string>;
  /** By version and class. */
  readonly activities: ReadonlyMap<string, string>;
}

/** What the register calls the commonest codes, for an import without the list N_STARE_FIRMA. */
const KNOWN_LABELS: readonly (readonly [string, string])[] = [
  ['1048', 'funcțiune'],
  ['1084', 'radiată'],
  ['2069', 'dizolvare'],
  ['1052', 'lichidare'],
  ['1139', 'insolvență'],
];

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const labels = (rows: readonly CodeRow[] = [], key: (row: CodeRow) => string) =>
    rows.flatMap((row): [string, string][] => (row.DENUMIRE?.trim() ? [[key(row), row.DENUMIRE.trim()]] : []));
  return {
    statuses: new Map([...KNOWN_LABELS, ...labels(tables.get('N_STARE_FIRMA'), ({ COD = '' }) => COD.trim())]),
    activities: new Map(
      labels(tables.get('N_CAEN'), ({ CLASA = '', VERSIUNE_CAEN = '' }) => activityKey(CLASA, VERSIUNE_CAEN)),
    ),
  };
}

export function activityKey(code: string, version: string): string {
  return `${version.trim()}/${code.trim()}`;
}

const listCodes = (text: string) => new Set(text.split(' '));

/** Codes of which users of the data say that a company with one of them no longer trades, or still does. */
const CANCELLING = listCodes(
  '1049 1055 1057 1070 1073 1074 1076 1078 1083 1086 1094 1098 1100 1105 1106 1107 1109 1111 1113 1120 1121 1126 1132 1133 ' +
    '1134 1137 1138 1144 1145 1151 1152 1153',
);
const TRADING = listCodes('1036 1037 1038 1050 1053 1054 1067 1069 1110 1146');

/** The worst of a set decides. `stopped` no longer trades for a reason we do not know. */
const RANKS = ['dissolved', 'insolvent', 'in_liquidation', 'inactive', 'stopped', 'active'] as const;
type Meaning = (typeof RANKS)[number] | 'silent';

const WORDS: readonly (readonly [RegExp, Meaning])[] = [
  // A lifted suspension or a revoked dissolution is none.
  [/\b(ridicare|ridicat|revocare|revocat|anulare|anulat|respingere|respins)/, 'silent'],
  [/\bradiat/, 'dissolved'],
  [/insolven|faliment|reorganizare judiciara|concordat/, 'insolvent'],
  [/lichidare|dizolvare|dizolvat/, 'in_liquidation'],
  [/suspend|intrerupere|inactiv/, 'inactive'],
  [/functiune/, 'active'],
];

function understand(code: string, label: string | undefined): Meaning | null {
  const text = label === undefined ? '' : fold(label);
  const told = WORDS.find(([pattern]) => pattern.test(text))?.[1];
  if (told !== undefined) return told;
  if (CANCELLING.has(code)) return 'stopped';
  if (TRADING.has(code)) return 'active';
  return label === undefined ? null : 'silent';
}

export interface CompanyState {
  readonly status: EntityStatus;
  readonly statuses: readonly { readonly code: string; readonly label: string | null }[];
  /** Codes of which nothing is known. */
  readonly unknown: readonly string[];
}

/** A company has several codes at once, without dates: the whole set decides, not the last row. */
export function decideStatus(codes: readonly string[], { statuses }: Codes): CompanyState {
  const meanings = codes.map((code) => understand(code, statuses.get(code)));
  const worst = RANKS.find((rank) => meanings.includes(rank));
  return {
    status: worst === undefined || worst === 'stopped' ? 'unknown' : worst,
    statuses: codes.map((code) => ({ code, label: statuses.get(code) ?? null })),
    unknown: codes.filter((_, index) => meanings[index] === null),
  };
}

/** The old layouts have one status a company, of which no value is known: a code or its text. */
export function readOldStatus(text: string, codes: Codes): EntityStatus {
  const status = readText(text);
  if (status === null) return 'unknown';
  const known = decideStatus([status], codes);
  return known.unknown.length === 0
    ? known.status
    : decideStatus(['text'], { ...codes, statuses: new Map([['text', status]]) }).status;
}
