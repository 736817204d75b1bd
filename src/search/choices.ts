import { type ActivityType, readActivityKey } from '../core/search-keys.ts';

/** The values that filters can take, with the number of entities of each. Counted once per version of the data. */
export interface Choices {
  readonly entities: number;
  /** Sorted by code. */
  readonly countries: readonly CountryChoices[];
  readonly isic: IsicCounts;
  /** How many entities of each register have an ELF code. */
  readonly withElf: ReadonlyMap<string, number>;
}

/** How many entities have an activity in each ISIC code, and how many of each register have any. */
export interface IsicCounts {
  readonly codes: ReadonlyMap<string, number>;
  readonly registers: ReadonlyMap<string, number>;
}

/** The most frequent values come first. Activities are codes and labels, not the values as sources write them. */
export interface CountryChoices {
  readonly code: string;
  readonly entities: number;
  readonly registers: readonly Choice[];
  readonly statuses: readonly Choice[];
  readonly legalForms: readonly Choice[];
  /** ELF codes and classes of legal forms. */
  readonly elf: readonly Choice[];
  readonly legalFormClasses: readonly Choice[];
  readonly activities: Readonly<Record<ActivityType, readonly Choice[]>>;
}

export interface Choice {
  readonly value: string;
  readonly entities: number;
}

/** The filters that compare the value of a field. */
export const countedFields = ['register', 'status', 'legalForm'] as const;
export type CountedField = (typeof countedFields)[number];
/** The filters that compare what follows from the legal form. */
export type DerivedField = 'elf' | 'legalFormClass';

/** How many entities of a country have a value. It is null for entities without one. */
export type CountedValue =
  | {
      readonly country: string;
      readonly field: CountedField | DerivedField;
      readonly value: string | null;
      readonly entities: number;
    }
  | { readonly country: string; readonly activityKey: string; readonly entities: number };

export function arrangeChoices(
  counts: readonly CountedValue[],
  isic: IsicCounts,
  withElf: ReadonlyMap<string, number>,
): Choices {
  const countries = [...Map.groupBy(counts, ({ country }) => country)].map(([code, values]) => {
    const fields = values.flatMap((value) => ('field' in value ? value : []));
    const activities = values.flatMap((value) => {
      const activity = 'activityKey' in value ? readActivityKey(value.activityKey) : undefined;
      return activity === undefined ? [] : { ...activity, entities: value.entities };
    });
    const ofType = (type: ActivityType) => sortChoices(activities.filter((activity) => activity.type === type));
    const ofField = (field: CountedField | DerivedField) =>
      sortChoices(
        fields.flatMap((one) =>
          one.field === field && one.value !== null ? { value: one.value, entities: one.entities } : [],
        ),
      );
    const statuses = ofField('status');
    return {
      code,
      // Every entity has exactly one status, so these counts add up to all entities.
      entities: statuses.reduce((sum, { entities }) => sum + entities, 0),
      registers: ofField('register'),
      statuses,
      legalForms: ofField('legalForm'),
      elf: ofField('elf'),
      legalFormClasses: ofField('legalFormClass'),
      activities: { unlicensed: ofType('unlicensed'), licensed: ofType('licensed') },
    };
  });
  return {
    entities: countries.reduce((sum, { entities }) => sum + entities, 0),
    countries: countries.sort((a, b) => (a.code < b.code ? -1 : 1)),
    isic,
    withElf,
  };
}

export function sortChoices(choices: readonly Choice[]): Choice[] {
  return choices
    .map(({ value, entities }) => ({ value, entities }))
    .sort((a, b) => b.entities - a.entities || (a.value < b.value ? -1 : 1));
}
