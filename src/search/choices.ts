import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ActivityType, readActivityKey } from '../core/search-keys.ts';
import type { SearchIndex } from './search-index.ts';
import { readSets } from './set-store.ts';
import { type DocSet, takeDocs } from './sets.ts';

/**
 * What the filters of a search can be set to: the values that occur, with the number of entities that have each. Worked out
 * once for each state of the data, never for a single visitor.
 */
export interface Choices {
  readonly entities: number;
  /** By code. */
  readonly countries: readonly CountryChoices[];
}

export interface CountryChoices {
  readonly code: string;
  readonly entities: number;
  /** The most frequent first, as the activities. */
  readonly legalForms: readonly Choice[];
  readonly activities: Readonly<Record<ActivityType, readonly Choice[]>>;
}

export interface Choice {
  readonly value: string;
  readonly entities: number;
}

/** One value of one country; a legal form of null is one that is not known. */
export type CountedValue =
  | { readonly country: string; readonly legalForm: string | null; readonly entities: number }
  | { readonly country: string; readonly activityKey: string; readonly entities: number };

export function arrangeChoices(counts: readonly CountedValue[]): Choices {
  const countries = [...Map.groupBy(counts, ({ country }) => country)].map(([code, values]) => {
    const forms = values.flatMap((value) => ('legalForm' in value ? value : []));
    const activities = values.flatMap((value) =>
      'activityKey' in value ? { ...readActivityKey(value.activityKey), entities: value.entities } : [],
    );
    const ofType = (type: ActivityType) => sortChoices(activities.filter((activity) => activity.type === type));
    return {
      code,
      entities: forms.reduce((sum, { entities }) => sum + entities, 0),
      legalForms: sortChoices(
        forms.flatMap(({ legalForm, entities }) => (legalForm === null ? [] : { value: legalForm, entities })),
      ),
      activities: { unlicensed: ofType('unlicensed'), licensed: ofType('licensed') },
    };
  });
  return {
    entities: countries.reduce((sum, { entities }) => sum + entities, 0),
    countries: countries.sort((a, b) => (a.code < b.code ? -1 : 1)),
  };
}

function sortChoices(choices: readonly Choice[]): Choice[] {
  return choices
    .map(({ value, entities }) => ({ value, entities }))
    .sort((a, b) => b.entities - a.entities || (a.value < b.value ? -1 : 1));
}

/** Documents looked at before other work gets its turn: a few milliseconds. Of 400 000 entities all take 80 ms. */
const AT_ONCE = 50_000;

export async function countChoices(index: SearchIndex): Promise<Choices> {
  const { arrays, texts, entities } = index;
  const { country: countries, legalForm: forms } = texts.columns;
  const counts: CountedValue[] = [];

  const byForm = new Uint32Array(countries.length * forms.length);
  for (let from = 0; from < entities; from += AT_ONCE) {
    const to = Math.min(entities, from + AT_ONCE);
    for (let doc = from; doc < to; doc++) {
      const cell = (arrays.country[doc] as number) * forms.length + (arrays.legalForm[doc] as number);
      byForm[cell] = (byForm[cell] as number) + 1;
    }
    await nextTurn();
  }
  for (const [at, count] of byForm.entries()) {
    const country = countries[Math.floor(at / forms.length)] ?? '';
    if (count > 0) counts.push({ country, legalForm: forms[at % forms.length] ?? null, entities: count });
  }

  const sets = readSets(arrays, entities);
  let looked = 0;
  for (const [activity, activityKey] of texts.activities.entries()) {
    const byCountry = new Uint32Array(countries.length);
    const docs = docsOf(sets[arrays.activitySet[activity] as number] as DocSet);
    for (let at = 0; at < docs.length; at++) {
      const number = arrays.country[docs[at] as number] as number;
      byCountry[number] = (byCountry[number] as number) + 1;
    }
    for (const [number, count] of byCountry.entries()) {
      if (count > 0) counts.push({ country: countries[number] ?? '', activityKey, entities: count });
    }
    looked += docs.length;
    if (looked < AT_ONCE) continue;
    looked = 0;
    await nextTurn();
  }
  return arrangeChoices(counts);
}

function docsOf(set: DocSet): Uint32Array {
  return set.list ?? takeDocs(set, 0, set.size);
}
