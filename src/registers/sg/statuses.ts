/** What the status texts of the register mean. The texts are those of the files of April to September 2026. */
import type { EntityStatus } from '../contract.ts';

/** By the text in lower case. */
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['live', 'active'],
  ['live company', 'active'],
  ['registered', 'active'],
  // A public notice that the company will be struck off. A tenth of these companies return to "Live".
  ['gazetted to be struck off', 'active'],
  ['cancellation in progress', 'active'],
  ['to be ceased', 'active'],
  ['suspended', 'inactive'],
  ['live (receiver or receiver and manager appointed)', 'insolvent'],
  ['in receivership', 'insolvent'],
  ['under judicial management', 'insolvent'],
  ['terminated', 'dissolved'],
  ['cancelled', 'dissolved'],
  ['cancelled (non-renewal)', 'dissolved'],
  ['ceased registration', 'dissolved'],
  // The branch of a foreign company has ended because the company itself moved to Singapore under a new number.
  ['ceased registration (transferred to singapore)', 'dissolved'],
  ['converted to llp', 'dissolved'],
  ['amalgamated', 'dissolved'],
  ['registration expired and has not been renewed', 'dissolved'],
  ['removed (applied to be revoked)', 'dissolved'],
  ['removed (dissolved)', 'dissolved'],
  ['revoked (failed to transfer registration)', 'dissolved'],
  ['deregistered', 'dissolved'],
]);

/**
 * Families of texts that end with the procedure. Only the beginning counts: `Dissolved - Members Voluntary Winding Up`
 * is not a company in liquidation.
 */
const FAMILIES: ReadonlyArray<readonly [RegExp, EntityStatus]> = [
  [/^dissolved\b/, 'dissolved'],
  [/^struck off\b/, 'dissolved'],
  [/^in liquidation\b/, 'in_liquidation'],
];

/** Null for a text that is not known. */
export function findStatus(text: string): EntityStatus | null {
  const key = text.toLowerCase();
  return STATUSES.get(key) ?? FAMILIES.find(([beginning]) => beginning.test(key))?.[1] ?? null;
}
