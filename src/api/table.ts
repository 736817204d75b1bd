import { account } from './account.ts';
import { checkout, customerPortal, paymentEvents } from './billing.ts';
import { changes } from './changes.ts';
import { classifications } from './classifications.ts';
import { countries } from './countries.ts';
import { entity } from './entity.ts';
import { exportFiles, exports } from './exports.ts';
import { matchList, matchOne } from './match.ts';
import { mcp } from './mcp/endpoint.ts';
import { monitors } from './monitors.ts';
import { namedSecrets, revocations } from './named-secrets.ts';
import { parties } from './parties.ts';
import { health, openApi, plans } from './public.ts';
import { reconciliation } from './reconciliation/endpoints.ts';
import { search } from './search.ts';
import type { Row } from './serving/operation.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

/**
 * Every operation of the API. The router, the contract, the replies to OPTIONS and to other methods, and validation read this table. The
 * order is that of the contract.
 */
export const operations: readonly Row[] = [
  countries,
  search,
  entity,
  ...parties,
  ...classifications,
  matchOne,
  ...changes,
  exports,
  exportFiles,
  ...account,
  ...namedSecrets,
  checkout,
  ...health,
  plans,
  openApi,
  matchList,
  ...revocations,
  ...monitors,
  ...webhookEndpoints,
  customerPortal,
  paymentEvents,
  mcp,
  ...reconciliation,
];
