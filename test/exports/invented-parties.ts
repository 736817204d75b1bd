import type { BulkParty } from '../../src/registry/parties/bulk/bulk.ts';

const SOURCE = { file: 'a.txt', hash: `sha256:${'0'.repeat(64)}`, row: 1 };

/** A party of a British company: a person, unless told otherwise. */
export function inventParty(shown: Partial<BulkParty['shown']>, more: Partial<BulkParty> = {}): BulkParty {
  const id = `id-${JSON.stringify(shown)}`;
  return {
    shown: {
      ...{ id, register: 'gb', companyNumber: '00000001', companyId: null, role: 'beneficial_owner', roleText: 'psc' },
      ...{ kind: 'person', name: 'Anna Example', entityId: null, number: null, countryCode: null, interests: [] },
      ...{ from: null, until: null, current: true, absence: null, source: SOURCE, sourceData: {}, ...shown },
    },
    ...{ company: undefined, linked: undefined, link: null, day: '2026-11-01', ...more },
  };
}

const hold = (...shares: (object | null)[]) => shares.map((share) => ({ type: 'shares', share, heldAs: null }));
const PARENT = { id: 'x', number: '2', name: 'Parent', countryCode: 'FR', status: 'active' };

/** Parties of every kind that formats distinguish. */
export function inventParties(): BulkParty[] {
  const absences = ['persons', 'no_number', 'no_parent', 'protected', 'statement', 'of a later release'];
  return [
    inventParty({ interests: hold({ min: 25, max: 50 }, { exact: 12.5 }, { min: 25 }, null) }),
    inventParty({ register: 'md', interests: hold({ min: 10 }, { max: 20 }) }),
    inventParty({ interests: [{ type: 'of a later release', share: null, heldAs: 'trustee' }] }),
    inventParty({
      kind: 'organisation',
      name: 'Foreign Inc',
      number: '41-0406690',
      countryCode: 'US',
      role: 'shareholder',
    }),
    inventParty({ kind: 'organisation', name: null, role: 'controller' }),
    inventParty({ name: null, from: '2020-01-01', until: '2021-01-01', current: false }),
    inventParty({ role: 'auditor' }),
    ...absences.map((reason) => inventParty({ kind: 'unknown', name: null, absence: { reason, text: reason } })),
    inventParty({ kind: 'organisation', role: 'parent' }, { link: { register: 'gleif', number: '2' }, linked: PARENT }),
  ];
}
