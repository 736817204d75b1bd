import { summaryFields } from '../core/entity-summary.ts';
import { arrangeChoices, type Choices, type CountedValue, countedFields, type IsicCounts } from './choices.ts';
import { countMeanings, FORM_KEY } from './form-counts.ts';

/** Counts how many entities of each country have each value of an SQL expression. */
export type CountByCountry = (
  expression: string,
) => Promise<readonly { readonly country: string; readonly value: string | null; readonly entities: number }[]>;

/** The values of all filters, for engines that count in SQL. `activities` is an expression with one row per activity key. */
export async function readChoices(count: CountByCountry, activities: string, isic: IsicCounts): Promise<Choices> {
  const counts: CountedValue[] = [];
  for (const field of countedFields) {
    for (const row of await count(summaryFields[field].column)) counts.push({ ...row, field });
  }
  for (const { value, ...row } of await count(activities)) counts.push({ ...row, activityKey: value ?? '' });
  const forms = countMeanings((await count(FORM_KEY)).map(({ value, ...row }) => ({ ...row, form: value ?? '' })));
  return arrangeChoices([...counts, ...forms.values], isic, forms.registers);
}
