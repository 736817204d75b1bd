import { type DocsEntry, REFERENCE } from '../docs/library.ts';
import { type ApiContract, listOperations, type Operation } from './contract.ts';

/** Operations that share a page of the reference. */
export interface OperationGroup extends DocsEntry {
  readonly description: string;
  /** Which operations belong to it, by their paths below `/api/v1/`. */
  readonly paths: RegExp;
}

/** In reading order. Every operation belongs to one of them. */
export const OPERATION_GROUPS: readonly OperationGroup[] = [
  group('search', 'Search', 'Find companies by name, number and filters.', /^(entities|countries)$/),
  group('records', 'Records', 'All that a register publishes about a company.', /^entities\/\{id\}$/),
  group(
    'parties',
    'Owners and holdings',
    'Who owns a company, and what it owns.',
    /^entities\/\{id\}\/(parties|owners|holdings)$/,
  ),
  group('match', 'Matching', 'The company that a name means, with reasons.', /^match$/),
  group('changes', 'Changes', 'What imports have changed.', /^(entities\/\{id\}\/)?changes$/),
  group('classifications', 'Classifications', 'Codes of industries and legal forms.', /^classifications/),
  group('exports', 'Exports', 'All companies as files, for paid plans.', /^exports/),
  group('monitors', 'Monitors', 'Companies whose changes you want to know.', /^monitors(\/\{id\})?$/),
  group(
    'monitor-changes',
    'Watched companies',
    'The companies of a monitor, and their changes.',
    /^monitors\/\{id\}\/./,
  ),
  group('webhooks', 'Webhooks', 'Where the events of monitors are sent to.', /^webhook-endpoints(\/\{id\})?$/),
  group('deliveries', 'Webhook deliveries', 'What was sent, and sending it again.', /^webhook-endpoints\/\{id\}\/./),
  group('account', 'Account', 'The signed-in developer account and its usage.', /^(account|auth)/),
  group('keys', 'Keys and links', 'Credentials for your programs.', /^(api-keys|reconcile-links)/),
  group('billing', 'Plans and billing', 'Paid plans, and pages to pay on.', /^(plans|billing)/),
  group('service', 'Contract and health', 'The contract, and probes for load balancers.', /^(openapi|health)/),
];

function group(slug: string, title: string, description: string, paths: RegExp): OperationGroup {
  return { title, address: `${REFERENCE.address}/${slug}`, description, paths };
}

export function isInGroup({ path }: Operation, { paths }: OperationGroup): boolean {
  return paths.test(path.replace('/api/v1/', ''));
}

/** Where the reference describes an operation. */
export function operationAddress(operation: Operation): string {
  const found = OPERATION_GROUPS.find((each) => isInGroup(operation, each));
  if (found === undefined) throw new Error(`${operation.path} belongs to no group of the reference`);
  return `${found.address}#${operation.operationId}`;
}

/** The groups for the menu, and the operations of the one that is shown. */
export function listReferenceEntries(
  contract: ApiContract,
  current: string,
): (DocsEntry & { entries?: DocsEntry[] })[] {
  const entriesOf = (each: OperationGroup) =>
    listOperations(contract)
      .filter((operation) => isInGroup(operation, each))
      .map((operation) => ({ title: operation.summary, address: operationAddress(operation) }));
  return OPERATION_GROUPS.map((each) => ({
    title: each.title,
    address: each.address,
    ...(each.address === current && { entries: entriesOf(each) }),
  }));
}
