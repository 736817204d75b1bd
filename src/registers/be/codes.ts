import { fold } from '../../core/fold.ts';
import type { CodeRow, EntityStatus } from '../contract.ts';
import { readText } from '../parsing.ts';

export interface Codes {
  /** The Dutch text of a code, or else the French, or else the German one; null if the code table lacks the code. */
  label(category: string, code: string): string | null;
  /** The texts of a code in all languages, folded. */
  words(category: string, code: string): string;
  /** `full` or `update`, in lower case; empty without `meta.csv`. */
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
      // A text in another language is better than none.
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
 * The official list of situation codes was not available, so the status is derived from their French, Dutch or German
 * texts. The order matters; the first match counts. A revocation undoes whatever else the text names. A merger or
 * division does not say which company continues. A closed bankruptcy is the end of a company, not an insolvency.
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

/** Null for an unknown status. The public file has only `AC` (active); users of it also list `ST` (stopped). */
export function decideStatus(status: string, situation: string, codes: Codes): EntityStatus | null {
  if (status === 'ST') return 'inactive';
  if (status !== 'AC') return null;
  if (situation === '000') return 'active';
  const words = codes.words('JuridicalSituation', situation);
  return SITUATIONS.find(([pattern]) => pattern.test(words))?.[1] ?? 'unknown';
}
