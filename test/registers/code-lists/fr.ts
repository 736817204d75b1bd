import { fr } from '../../../src/registers/fr/register.ts';
import {
  type CodeList,
  listOtherNumbers,
  mapWith,
  parseCases,
  readFormLabel,
  readStatus,
  type Without,
} from './code-list.ts';
import { CATEGORIES } from './fr-legal-forms.ts';

const unit = { siren: '026280206', etatAdministratifUniteLegale: 'A', denominationUniteLegale: 'LES EAUX CALMES' };
const forms = parseCases(CATEGORIES);

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(
      fr,
      'StockUniteLegale',
      {},
      (value) => ({ row: { ...unit, etatAdministratifUniteLegale: value } }),
      readStatus,
    ),
    // A hidden state is not known, but that is no error.
    cases: parseCases('A = active\nC = dissolved\n[ND] = unknown'),
    others: { values: ['', 'F', 'a'], shown: 'unknown', reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(
      fr,
      'StockUniteLegale',
      {},
      (value) => ({ row: { ...unit, categorieJuridiqueUniteLegale: value } }),
      readFormLabel,
    ),
    cases: forms,
    others: { values: listOtherNumbers(4, forms), shown: null, reported: true },
  },
];

export const without: Without = { role: 'the files have no persons other than sole traders' };
