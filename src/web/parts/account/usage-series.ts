import { portalKeyId, type UsageHistory, webhookKeyId } from '../../../core/usage.ts';
import type { SecretRow } from './secrets-section.ts';

/** The requests of one key, or of several that share a colour of the chart. */
export interface Series {
  readonly name: string;
  readonly keyIds: ReadonlySet<string>;
  readonly requests: number;
  /** Explains the name. */
  readonly note?: string;
  /** The number of the colour in the stylesheet. */
  readonly colour: number;
}

/** The largest ones have a colour of their own, all others share the last one. */
const COLOURS = 6;

/**
 * The keys and links of an account, those with most requests first. Revoked keys are one series: their names are no longer listed, but their
 * requests still count.
 */
export function listSeries(accountId: string, keys: readonly SecretRow[], { counts }: UsageHistory): Series[] {
  const portal = portalKeyId(accountId);
  const webhooks = new Set([webhookKeyId(accountId)]);
  const known = new Set([portal, ...webhooks, ...keys.map(({ id }) => id)]);
  const revoked = new Set(counts.flatMap(({ keyId }) => (known.has(keyId) ? [] : keyId)));
  const named = [
    ...keys.map(({ id, name }) => ({ name, keyIds: new Set([id]) })),
    { name: 'Portal', note: 'your searches on this site', keyIds: new Set([portal]) },
    { name: 'Webhooks', note: 'delivered events', keyIds: webhooks },
    { name: 'Revoked keys', keyIds: revoked },
  ];
  return named
    .map((each) => ({ ...each, requests: countRequests(counts, each.keyIds) }))
    .filter(({ requests, keyIds }) => (keyIds !== revoked && keyIds !== webhooks) || requests > 0)
    .toSorted((a, b) => b.requests - a.requests)
    .map((each, index) => ({ ...each, colour: Math.min(index + 1, COLOURS) }));
}

function countRequests(counts: UsageHistory['counts'], keyIds: ReadonlySet<string>): number {
  return counts.reduce((sum, { keyId, requests }) => sum + (keyIds.has(keyId) ? requests : 0), 0);
}
