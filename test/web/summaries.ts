import { type EntitySummary, summaryNames } from '../../src/base/entity-summary.ts';

/** A complete summary. Fields that are not given and may be null are null, so that a new field needs no change in the fixtures. */
export function makeSummary(given: Partial<EntitySummary> = {}): EntitySummary {
  const nothing = Object.fromEntries(summaryNames.map((name) => [name, null]));
  const required = {
    id: '8cfb7733-0cb1-511b-8310-bbbf2455fb10',
    countryCode: 'GB',
    canonicalName: 'ALPHA LTD',
    status: 'active',
    updatedAt: '2026-03-15T00:00:00.000Z',
  };
  return { ...nothing, ...required, ...given } as EntitySummary;
}
