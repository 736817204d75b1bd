import { fewValuedNames, summaryFields, textNames } from '../../../core/entity-summary.ts';
import { NAMED_REGISTRY } from '../../store.ts';

/**
 * The columns that an index is built from. The store dumps them in this order. Two threads read each row: one takes its texts
 * (`text-rows.ts`), the other numbers its words and values (`value-rows.ts`).
 */
export const rowColumns: readonly string[] = [
  // Texts.
  summaryFields.id.column,
  ...textNames.map((name) => summaryFields[name].column),
  'number_keys',
  summaryFields.registrationNumber.column,
  NAMED_REGISTRY,
  // Words and values.
  'name_key',
  ...fewValuedNames.map((name) => summaryFields[name].column),
  'legal_form_code',
  'activity_keys',
];
