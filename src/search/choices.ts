import { type ActivityType, parseActivityKey } from '../base/search-keys.ts';
import type { FormMeaning } from '../registers/classifications/elf.ts';

/** The values that filters can take, with the number of entities of each value. Counted once per version of the data. */
export interface Choices {
  readonly entities: number;
  /** Sorted by code. */
  readonly countries: readonly CountryChoices[];
  readonly isic: IsicCounts;
  /** How many entities of each register have an ELF code. */
  readonly withElf: ReadonlyMap<string, number>;
}

/** How many entities have an activity in each ISIC code, and how many entities of each register have any ISIC code. */
export interface IsicCounts {
  readonly codes: ReadonlyMap<string, number>;
  readonly registers: ReadonlyMap<string, number>;
}

/** Each list starts with the most frequent value. Activities are codes and labels, not the values as sources write them. */
export interface CountryChoices {
  readonly code: string;
  readonly entities: number;
  readonly registers: readonly Choice[];
  readonly jurisdictions: readonly Choice[];
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

/** The filters whose values are counted in the results of a query, by the parameter of a search and the field of a result. */
export const facetFields = {
  country: 'countryCode',
  status: 'status',
  register: 'register',
  jurisdiction: 'jurisdiction',
  legalForm: 'legalForm',
  legalFormClass: 'legalFormClass',
  isic: 'isic',
} as const;
export type FacetName = keyof typeof facetFields;

/** Each list starts with the most frequent value. Industries are sections and divisions of ISIC. */
export type Facets = Readonly<Record<FacetName, readonly Choice[]>>;

/** Makes the choices of a field from its values and their counts; the most frequent value comes first. */
export function toChoices(counts: Iterable<readonly [value: string | null, entities: number]>): Choice[] {
  return [...counts]
    .flatMap(([value, entities]) => (value === null ? [] : { value, entities }))
    .sort((a, b) => b.entities - a.entities || (a.value < b.value ? -1 : 1));
}

export function addCount<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** The fields of an entity that are counted by their value. */
export const countedFields = ['register', 'jurisdiction', 'status', 'legalForm'] as const;
type CountedField = (typeof countedFields)[number] | 'elf' | 'legalFormClass' | 'activityKey';

/** Adds up the entities of each country by the values of their fields. */
export class ChoiceCounts {
  readonly isic = { codes: new Map<string, number>(), registers: new Map<string, number>() };
  readonly #withElf = new Map<string, number>();
  readonly #countries = new Map<string, Map<CountedField, Map<string, number>>>();

  add(country: string, field: CountedField, value: string | null, entities: number): void {
    if (value === null) return;
    const fields = this.#countries.getOrInsertComputed(country, () => new Map());
    addCount(
      fields.getOrInsertComputed(field, () => new Map()),
      value,
      entities,
    );
  }

  /** Counts entities of a register by what their legal form means. */
  addForm(country: string, register: string, { elf, legalFormClass }: FormMeaning, entities: number): void {
    this.add(country, 'elf', elf?.code ?? null, entities);
    this.add(country, 'legalFormClass', legalFormClass, entities);
    if (elf !== null) addCount(this.#withElf, register, entities);
  }

  arrange(): Choices {
    const countries = Array.from(this.#countries, ([code, fields]): CountryChoices => {
      const ofField = (field: CountedField) => toChoices(fields.get(field) ?? []);
      const ofType = (type: ActivityType) =>
        toChoices(
          [...(fields.get('activityKey') ?? [])].flatMap(([key, entities]) => {
            const activity = parseActivityKey(key);
            return activity?.type === type ? [[activity.value, entities] as const] : [];
          }),
        );
      const statuses = ofField('status');
      return {
        code,
        // Every entity has exactly one status, so these counts add up to all entities.
        entities: statuses.reduce((sum, { entities }) => sum + entities, 0),
        registers: ofField('register'),
        jurisdictions: ofField('jurisdiction'),
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
      isic: this.isic,
      withElf: this.#withElf,
    };
  }
}
