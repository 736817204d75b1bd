import type { DerivedSummary } from '../../base/entity-summary.ts';
import { findEndOfString } from '../../base/json/json-bounds.ts';
import { deriveForm, type StoredForm } from './elf.ts';
import { type ClassifiableActivity, classifyActivity, findIsic, findMainIsic } from './isic.ts';

/** The JSON text of a `registry` with the international codes of its activities. */
export interface ClassifiedRegistry {
  readonly text: string;
  /** The ISIC code of the company. */
  readonly isic: string | null;
}

const NONE: readonly ClassifiableActivity[] = [];

/** Only the list of activities is parsed and written again: the rest of a registry may be megabytes. */
export function classifyRegistry(registry: string): ClassifiedRegistry {
  const bounds = findActivities(registry);
  if (bounds === undefined) return { text: registry, isic: null };
  const { from, to } = bounds;
  const { list, isic } = classifyList(registry.slice(from, to), registry.length <= MAX_KEPT_LENGTH);
  return { text: `${registry.slice(0, from)}${list}${registry.slice(to)}`, isic };
}

interface ClassifiedList {
  /** The activities as JSON. */
  readonly list: string;
  readonly isic: string | null;
}

/** Many records share a list. V8 keeps the whole text that a part of it belongs to, so lists of long registries are not kept. */
const kept = new Map<string, ClassifiedList>();
const MAX_KEPT = 4_000;
const MAX_KEPT_LENGTH = 8_000;

function classifyList(json: string, mayKeep: boolean): ClassifiedList {
  const known = kept.get(json);
  if (known !== undefined) return known;
  const activities = JSON.parse(json) as ClassifiableActivity[];
  const texts = activities.map((activity) => `${JSON.stringify(activity).slice(0, -1)}${writeClasses(activity)}}`);
  const classified = { list: `[${texts.join(',')}]`, isic: findMainIsic(activities) };
  if (kept.size >= MAX_KEPT) kept.clear();
  if (mayKeep) kept.set(json, classified);
  return classified;
}

/** The activities of a registry, which may be cut after `ACTIVITIES_LENGTH`. */
export function readActivities(registry: string): readonly ClassifiableActivity[] {
  const bounds = findActivities(registry);
  return bounds === undefined ? NONE : (JSON.parse(registry.slice(bounds.from, bounds.to)) as ClassifiableActivity[]);
}

/** Parses a list of activities that a database extracted as JSON. */
export function parseActivities(json: string | null): readonly ClassifiableActivity[] {
  return json === null ? NONE : (JSON.parse(json) as ClassifiableActivity[]);
}

/** The ISIC codes of activities, each code as deep as it is certain. */
export function listIsic(activities: readonly ClassifiableActivity[]): string[] {
  return activities.flatMap((activity) => findIsic(activity) ?? []);
}

/** What a summary shows besides the stored fields. */
export function deriveSummary(activities: readonly ClassifiableActivity[], form: StoredForm): DerivedSummary {
  return { isic: findMainIsic(activities), ...deriveForm(form) };
}

/** Finds the list of activities, which is at the start of a registry, after at most the legal form. */
function findActivities(registry: string): { readonly from: number; readonly to: number } | undefined {
  let at = 1;
  if (registry.startsWith(LEGAL_FORM, at)) at = findEnd(registry, at + LEGAL_FORM.length) + 1;
  if (!registry.startsWith(ACTIVITIES, at)) return undefined;
  const from = at + ACTIVITIES.length - 1;
  const to = findEnd(registry, from);
  return to === 0 ? undefined : { from, to };
}

const LEGAL_FORM = '"legalForm":';
const ACTIVITIES = '"activities":[';

/** Finds the end of the object or list that starts at `start`; 0 if the text is cut before the end. */
function findEnd(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = findEndOfString(json, at);
      if (end === -1) return 0;
      at = end - 1;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (--depth === 0) return at + 1;
    }
  }
  return 0;
}

const QUOTE = 0x22;
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** The fields to add, as JSON. Millions of records share a few thousand of these texts. */
const written = new Map<string, string>();
const MAX_WRITTEN = 20_000;

function writeClasses({ type, scheme, edition, code }: ClassifiableActivity): string {
  const key = `${type}|${scheme}|${edition}|${code}`;
  let text = written.get(key);
  if (text === undefined) {
    // A missing field of an activity is left out, and never set to undefined.
    text = `,${JSON.stringify(classifyActivity({ type, scheme, edition, code } as ClassifiableActivity)).slice(1, -1)}`;
    if (written.size >= MAX_WRITTEN) written.clear();
    written.set(key, text);
  }
  return text;
}
