import type { Clock } from '../core/clock.ts';
import type { Db } from '../db/db.ts';
import { createNamedSecrets, type NamedSecrets, type NamedSecretsOptions } from './named-secrets.ts';

/** The secrets of programs, sent in a header. */
export type ApiKeys = NamedSecrets;

export function createApiKeys(db: Db, clock: Clock, options: NamedSecretsOptions): ApiKeys {
  const codes = {
    notFound: 'api_key_not_found',
    limitReached: 'api_key_limit_reached',
  } as const;
  const kind = { kind: 'api_key', label: 'frm', noun: 'API key', operation: 'createApiKey', codes } as const;
  return createNamedSecrets(db, clock, kind, options);
}
