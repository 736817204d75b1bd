/** Files of GLEIF that cannot be imported. They are recognized only to say what to import instead. */
import { refuseTree, type Source } from '../contract.ts';
import type { LegalForms } from './legal-forms.ts';

const API =
  'this is an answer of the GLEIF API, not a complete file. Import the Level 1 file (LEI2), which has the entities';

export const REFUSED_SOURCES: readonly Source<LegalForms>[] = [
  refuseTree('API (JSON)', { type: 'json' }, ['attributes'], API),
];
