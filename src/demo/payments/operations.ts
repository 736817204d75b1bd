import { type CustomerChanges, createCustomer, findCustomer, updateCustomer } from './customers.ts';
import { notFound } from './errors.ts';
import { showEvent } from './events.ts';
import { findInvoice } from './invoices.ts';
import type { Ledger, PaymentState } from './ledger.ts';
import { listPage } from './lists.ts';
import type { Parameters } from './parameters.ts';
import { findPrice, prices } from './prices.ts';
import { purchaseOperations } from './purchase-operations.ts';
import { subscriptionOperations } from './subscription-operations.ts';
import { findSubscription, payInvoice } from './subscriptions.ts';

/** One request of the REST API: reads its parameters, all of them, and then does what it is for. */
export type Operation = (call: Call) => object;

export interface Call {
  readonly ledger: Ledger;
  readonly params: Parameters;
  /** Of the path; empty where there is none. */
  readonly id: string;
  /** Of the sandbox. */
  readonly address: string;
}

export type Route = readonly [method: 'GET' | 'POST' | 'DELETE', path: string, Operation];

export const operations: readonly Route[] = [
  ['GET', '/v1/customers', listCustomers],
  ['POST', '/v1/customers', ({ ledger, params }) => createCustomer(ledger, readCustomer(params))],
  ['GET', '/v1/customers/:id', retrieve(findCustomer)],
  ['POST', '/v1/customers/:id', ({ ledger, params, id }) => updateCustomer(ledger, id, readCustomer(params))],
  ['GET', '/v1/prices', listPrices],
  ['GET', '/v1/prices/:id', retrieve((_state, id) => findPrice(id) ?? refuse('price', id))],
  ...purchaseOperations,
  ['GET', '/v1/subscriptions/:id', retrieve(findSubscription)],
  ...subscriptionOperations,
  ['GET', '/v1/invoices', listInvoices],
  ['GET', '/v1/invoices/:id', retrieve(findInvoice)],
  ['POST', '/v1/invoices/:id/pay', pay],
  ['GET', '/v1/events', listEvents],
  ['GET', '/v1/events/:id', retrieve(findEvent)],
];

function retrieve(find: (state: PaymentState, id: string) => object): Operation {
  return ({ ledger, params, id }) => {
    params.refuseOthers();
    return find(ledger.state, id);
  };
}

function refuse(kind: string, id: string): never {
  throw notFound(kind, id);
}

function readCustomer(params: Parameters): CustomerChanges {
  const changes = {
    email: params.text('email'),
    name: params.text('name'),
    description: params.text('description'),
    metadata: params.metadata('metadata'),
    paymentMethod: params.text('payment_method'),
  };
  const chosen = params.part('invoice_settings').text('default_payment_method');
  params.refuseOthers();
  return { ...changes, paymentMethod: chosen ?? changes.paymentMethod };
}

function listCustomers({ ledger, params }: Call): object {
  const email = params.text('email');
  const customers = Object.values(ledger.state.customers).filter((each) => email === undefined || each.email === email);
  const page = listPage('/v1/customers', customers, params);
  params.refuseOthers();
  return page;
}

function listPrices({ params }: Call): object {
  const active = params.flag('active') ?? true;
  const product = params.text('product');
  const keys = params.texts('lookup_keys');
  const matching = prices.filter(
    (price) =>
      price.active === active &&
      (product === undefined || price.product === product) &&
      (keys.length === 0 || keys.includes(price.lookup_key)),
  );
  const page = listPage('/v1/prices', matching, params);
  params.refuseOthers();
  return page;
}

function listInvoices({ ledger, params }: Call): object {
  const customer = params.text('customer');
  const subscription = params.text('subscription');
  const status = params.choice('status', ['draft', 'open', 'paid', 'uncollectible', 'void']);
  if (customer !== undefined) findCustomer(ledger.state, customer, 'customer');
  const matching = Object.values(ledger.state.invoices).filter(
    (invoice) =>
      (customer === undefined || invoice.customer === customer) &&
      (subscription === undefined || invoice.parent.subscription_details.subscription === subscription) &&
      (status === undefined || invoice.status === status),
  );
  const page = listPage('/v1/invoices', matching, params);
  params.refuseOthers();
  return page;
}

function pay({ ledger, params, id }: Call): object {
  params.refuseOthers();
  return payInvoice(ledger, id);
}

function listEvents({ ledger, params }: Call): object {
  const type = params.text('type');
  const types = [...params.texts('types'), ...(type === undefined ? [] : [type])];
  const isWanted = (name: string) =>
    types.length === 0 ||
    types.some((each) => each === name || (each.endsWith('*') && name.startsWith(each.slice(0, -1))));
  const succeeded = params.flag('delivery_success');
  const matching = ledger.state.events.filter(
    (event) => isWanted(event.type) && (succeeded === undefined || (event.pending_webhooks === 0) === succeeded),
  );
  const page = listPage('/v1/events', matching, params);
  params.refuseOthers();
  return { ...page, data: page.data.map(showEvent) };
}

function findEvent({ events }: PaymentState, id: string): object {
  return showEvent(events.find((event) => event.id === id) ?? refuse('event', id));
}
