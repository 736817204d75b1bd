import { fold } from '../../base/fold.ts';
import type { CodeRow, EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { readDate } from '../parsing.ts';
import type { LegalFormOf } from '../vocabulary.ts';

export type FormCategory = 'JuridicalForm' | 'TypeOfEnterprise';

export interface Codes {
  /** The labels of a category by code, in Dutch, or else in French or German; empty if the table lacks the category. */
  labels(category: string): ReadonlyMap<string, string>;
  /** The labels of a code in the languages that `labels` does not show. */
  otherLabels(category: string, code: string): readonly string[];
  /** The legal form with its label in all languages; undefined if the code table lacks the code. */
  form(category: FormCategory, code: string): LegalFormOf | undefined;
  /** The status of an active enterprise by its juridical situation; undefined for a situation that is not known. */
  readonly situations: ReadonlyMap<string, EntityStatus>;
  /** `full` or `update`, in lower case; empty without `meta.csv`. */
  readonly extractType: string;
  /** The day of the extract; null without `meta.csv`. */
  readonly snapshotDay: string | null;
}

const KNOWN_SITUATIONS = readCodeLists('be').meanings<EntityStatus>('situation');

/** In order of preference, with their codes in ISO 639-1. */
const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ['NL', 'nl'],
  ['FR', 'fr'],
  ['DE', 'de'],
]);

/** The texts of a code by language. */
type Texts = ReadonlyMap<string, string>;

export function readCodes(tables: ReadonlyMap<string, readonly CodeRow[]>): Codes {
  const categories = readTexts(tables.get('code') ?? []);
  const index = <Value>(make: (texts: Texts, code: string, category: string) => Value) =>
    new Map(
      Array.from(categories, ([category, codes]) => [
        category,
        new Map(Array.from(codes, ([code, texts]) => [code, make(texts, code, category)])),
      ]),
    );
  const [labels, otherLabels] = [index(chooseText), index(listOtherTexts)];
  const forms = index((texts, code, category) => describeForm(category, code, texts));
  const situations = Array.from(
    categories.get('JuridicalSituation') ?? [],
    ([code, texts]) => [code, readSituation(texts)] as const,
  );
  const meta = new Map((tables.get('meta') ?? []).map((row) => [row.Variable?.trim(), row.Value ?? '']));
  return {
    labels: (category) => labels.get(category) ?? NO_LABELS,
    otherLabels: (category, code) => otherLabels.get(category)?.get(code) ?? [],
    form: (category, code) => forms.get(category)?.get(code),
    situations: new Map([...situations.filter(isKnown), ...KNOWN_SITUATIONS]),
    extractType: (meta.get('ExtractType') ?? '').trim().toLowerCase(),
    snapshotDay: readDate((meta.get('SnapshotDate') ?? '').trim()),
  };
}

const NO_LABELS: ReadonlyMap<string, string> = new Map();

function readTexts(rows: readonly CodeRow[]): Map<string, Map<string, Texts>> {
  const categories = new Map<string, Map<string, Map<string, string>>>();
  for (const { Category = '', Code = '', Language = '', Description = '' } of rows) {
    if (Description.trim() === '') continue;
    const codes = categories.get(Category.trim()) ?? new Map<string, Map<string, string>>();
    const texts = codes.get(Code.trim()) ?? new Map<string, string>();
    categories.set(Category.trim(), codes.set(Code.trim(), texts.set(Language.trim(), Description.trim())));
  }
  return categories;
}

function isKnown(situation: readonly [string, EntityStatus | undefined]): situation is [string, EntityStatus] {
  return situation[1] !== undefined;
}

/** A text in another language is better than none. */
function chooseText(texts: Texts): string {
  const language = [...LANGUAGES.keys()].find((candidate) => texts.has(candidate)) ?? '';
  return texts.get(language) ?? [...texts.values()][0] ?? '';
}

function listOtherTexts(texts: Texts): readonly string[] {
  const chosen = chooseText(texts);
  return [...new Set(texts.values())].filter((text) => text !== chosen);
}

function describeForm(category: string, code: string, texts: Texts): LegalFormOf {
  const known = [...LANGUAGES].flatMap(([name, language]) => {
    const text = texts.get(name);
    return text === undefined ? [] : [[language, text] as const];
  });
  return { code, label: chooseText(texts), labels: Object.fromEntries(known), scheme: schemeOf(category) };
}

export function schemeOf(category: string): string {
  return `KBO ${category}`;
}

/**
 * What the texts of a situation that is not on that list mean, in French, Dutch or German. The order matters; the first
 * match counts. A revocation undoes whatever else the text names. A closed bankruptcy is the end of a company, not an
 * insolvency. A suspension of payments (*opschorting*) protects a company from its creditors, until it ends.
 */
const TEXTS: readonly (readonly [RegExp, EntityStatus])[] = [
  [/revocation|annulation|retractation|intrekking|herroeping|widerruf|aufhebung/, 'unknown'],
  [/fusion|fusie|verschmelzung|scission|splitsing|spaltung/, 'unknown'],
  [/fin du sursis|einde van de opschorting|ende des zahlungsaufschubs/, 'active'],
  [/cloture|radiation|sluiting|gesloten|doorhaling|abschluss|schliessung|geschlossen|loschung|streichung/, 'dissolved'],
  [/activiteitstopzetting|cessation d|stopzetting|\barret\b|einstellung/, 'dissolved'],
  [/transfert d'une entite|overdracht/, 'dissolved'],
  [/geannuleerd dossier|dossier annule/, 'dissolved'],
  [/faillite|faillissement|faling|konkurs|concordat/, 'insolvent'],
  [/reorganisation judiciaire|gerechtelijke reorganisatie|gerichtliche reorganisation/, 'insolvent'],
  [/opschorting|sursis|zahlungsaufschub/, 'insolvent'],
  [/dissolution|liquidation|ontbinding|vereffening|auflosung|abwicklung/, 'in_liquidation'],
  [/situation normale|normale toestand|gewohnlicher zustand/, 'active'],
  [/creation|prorogation|oprichting|verlenging|grundung|verlangerung/, 'active'],
  [/vervanging van het ondernemingsnummer|remplacement du numero/, 'active'],
  [/reunion des parts|vereniging van aandelen|nouveaux statuts|nieuwe statuten/, 'active'],
  [/identification de l'entite|bekendmaking van de entiteit/, 'active'],
];

function readSituation(texts: Texts): EntityStatus | undefined {
  const words = fold([...texts.values()].join(' '));
  return TEXTS.find(([pattern]) => pattern.test(words))?.[1];
}
