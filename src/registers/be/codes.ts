import { fold } from '../../core/fold.ts';
import type { CodeRow, EntityStatus } from '../contract.ts';
import { readText } from '../vocabulary.ts';

export interface Codes {
  /** The Dutch text of a code, else the French, else the German; null when there is none. */
  label(category: string, code: string): string | null;
  /** All its texts, folded. */
  words(category: string, code: string): string;
  /** `full` or `update`, in lower case; empty when the files do not say. */
  readonly extractType: string;
}

const LANGUAGES = ['NL', 'FR', 'DE'];

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const texts = new Map<string, Map<string, string>>();
  for (const { Category = '', Code = '', Language = '', Description = '' } of tables.get('code') ?? []) {
    const key = `${Category.trim()}/${Code.trim()}`;
    const languages = texts.get(key) ?? new Map<string, string>();
    texts.set(key, languages.set(Language.trim(), Description.trim()));
  }
  const labels = new Map(
    Array.from(texts, ([key, languages]) => {
      const language = LANGUAGES.find((candidate) => languages.has(candidate)) ?? '';
      return [key, languages.get(language) ?? [...languages.values()][0] ?? ''];
    }),
  );
  const meta = new Map((tables.get('meta') ?? []).map((row) => [row.Variable?.trim(), row.Value ?? '']));
  return {
    label: (category, code) => readText(labels.get(`${category}/${code}`) ?? ''),
    words: (category, code) => fold([...(texts.get(`${category}/${code}`)?.values() ?? [])].join(' ')),
    extractType: (meta.get('ExtractType') ?? '').trim().toLowerCase(),
  };
}

/**
 * By the texts of the situation, in French, Dutch or German, and in this order: what was revoked is not so, a merger does not
 * tell which company went on, and a closed bankruptcy is an end, not an insolvency.
 */
const SITUATIONS: readonly (readonly [RegExp, EntityStatus])[] = [
  [/revocation|annulation|retractation|intrekking|herroeping|widerruf|aufhebung/, 'unknown'],
  [/fusion|fusie|verschmelzung|scission|splitsing|spaltung/, 'unknown'],
  [/cloture|radiation|sluiting|doorhaling|abschluss|schliessung|loschung|streichung/, 'dissolved'],
  [/faillite|faillissement|konkurs|concordat/, 'insolvent'],
  [/reorganisation judiciaire|gerechtelijke reorganisatie|gerichtliche reorganisation/, 'insolvent'],
  [/dissolution|liquidation|ontbinding|vereffening|auflosung|abwicklung/, 'in_liquidation'],
  [/creation|prorogation|oprichting|verlenging|grundung|verlangerung/, 'active'],
];

/** `AC` is the only status of the public file; `ST` is what users of the data call a stopped one. */
export function decideStatus(status: string, situation: string, codes: Codes): EntityStatus | null {
  if (status === 'ST') return 'inactive';
  if (status !== 'AC') return null;
  if (situation === '000') return 'active';
  const words = codes.words('JuridicalSituation', situation);
  return SITUATIONS.find(([pattern]) => pattern.test(words))?.[1] ?? 'unknown';
}
