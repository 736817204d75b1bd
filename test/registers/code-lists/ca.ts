import { ca } from '../../../src/registers/ca/register.ts';
import { type CodeList, mapWith, parseCases, readStatus, type Without } from './code-list.ts';

/** `Status | Status Detail`, in all combinations that the files have. A text without a detail may hold the detail itself. */
const STATUSES = `
Active | = active
Active | Active - Intent to Dissolve Filed = active
Active | Active - Dissolution Pending (Non-compliance) = active
Active | Active - Dissolution Pending (non-compliance) = active
Active | Active - Discontinuance Pending = active
Inactive | = inactive
Inactive | Inactive - Amalgamated = dissolved
Inactive | Inactive - Discontinued = inactive
Inactive | Dissolved = dissolved
Dissolved | = dissolved
Dissolved | Dissolved = dissolved
Inactive - Amalgamated | = dissolved
Inactive - Discontinued | = inactive
Active - Intent to Dissolve Filed | = active
Active - Discontinuance Pending | = active
ACTIVE | = active
INACTIVE | INACTIVE - AMALGAMATED = dissolved
dissolved | = dissolved
`;

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(
      ca,
      ca.sources[0]?.name ?? '',
      {},
      (value) => {
        const [Status = '', detail = ''] = value.split('|');
        return { row: { 'Corporate name - form 1': 'Harbour Kites Inc.', Status, 'Status Detail': detail } };
      },
      readStatus,
    ),
    cases: parseCases(STATUSES),
    others: { values: ['Suspended |', '| Suspended', 'Inactive - Merged |'], shown: 'unknown', reported: true },
  },
];

export const without: Without = {
  legalForm: 'the files have only the act that governs a corporation',
  role: 'the files have no persons',
};
