/** What the status texts of the register mean. The texts are those of the files of April to September 2026. */
import { fold } from '../../core/fold.ts';
import type { EntityStatus } from '../contract.ts';
import { indexGroups } from '../parsing.ts';

/**
 * In lower case. A company is gazetted when a public notice says that it will be struck off; a tenth of them return to "Live". The
 * branch of a foreign company is `transferred to singapore` if the company itself moved there, under a new number.
 */
const STATUSES = indexGroups<EntityStatus>({
  active: 'live|live company|registered|gazetted to be struck off|cancellation in progress|to be ceased',
  inactive: 'suspended',
  insolvent: 'live (receiver or receiver and manager appointed)|in receivership|under judicial management',
  dissolved:
    'terminated|cancelled|cancelled (non-renewal)|ceased registration|ceased registration (transferred to singapore)|' +
    'converted to llp|amalgamated|registration expired and has not been renewed|removed (applied to be revoked)|' +
    'removed (dissolved)|revoked (failed to transfer registration)|deregistered',
});

/** Only the beginning counts: `Dissolved - Members Voluntary Winding Up` is not a company in liquidation. */
const FAMILIES: ReadonlyArray<readonly [RegExp, EntityStatus]> = [
  [/^dissolved\b/, 'dissolved'],
  [/^struck off\b/, 'dissolved'],
  [/^in liquidation\b/, 'in_liquidation'],
];

/** Null for a text that is not known. */
export function findStatus(text: string): EntityStatus | null {
  const key = fold(text);
  return STATUSES.get(key) ?? FAMILIES.find(([beginning]) => beginning.test(key))?.[1] ?? null;
}
