import type { Clock } from '../core/clock.ts';
import type { Db } from '../db/db.ts';
import { createNamedSecrets, type NamedSecrets, type NamedSecretsOptions } from './named-secrets.ts';

/**
 * Addresses for programs that cannot send a header, such as OpenRefine: the secret is a part of the path. It can be used for
 * reconciliation only, so an address that ends up in a browser's history or a shared project does not reveal an API key.
 */
export type ReconcileLinks = NamedSecrets;

export function createReconcileLinks(db: Db, clock: Clock, options: NamedSecretsOptions): ReconcileLinks {
  const codes = {
    notFound: 'reconcile_link_not_found',
    limitReached: 'reconcile_link_limit_reached',
  } as const;
  const kind = {
    kind: 'reconcile_link',
    label: 'frl',
    noun: 'reconcile link',
    operation: 'createReconcileLink',
    codes,
  } as const;
  return createNamedSecrets(db, clock, kind, options);
}
