import type { Stripe } from 'stripe';
import { cardDeclined, noSuch, notATestCard, notFound } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger, PaymentState } from './ledger.ts';

/** Customers and the cards they pay with. */
export type Customer = ReturnType<typeof makeCustomer>;
export type PaymentMethod = ReturnType<typeof makePaymentMethod>;

export interface CustomerChanges {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly metadata: ReadonlyMap<string, string>;
  /** Stripe's name of a test card, or the id of a card that was attached before. */
  readonly paymentMethod?: string | undefined;
}

interface Card {
  readonly number: string;
  readonly brand: 'visa' | 'mastercard';
  /** What Stripe calls it where no number is sent. */
  readonly alias: string;
  readonly declined: boolean;
}

export const TEST_CARDS: readonly Card[] = [
  { number: '4242424242424242', brand: 'visa', alias: 'pm_card_visa', declined: false },
  { number: '5555555555554444', brand: 'mastercard', alias: 'pm_card_mastercard', declined: false },
  { number: '4000000000000002', brand: 'visa', alias: 'pm_card_chargeDeclined', declined: true },
];

/** Refuses what no sandbox takes and what is declined; spaces and dashes of a number do not matter. */
export function checkCard(number: string): Card {
  const digits = number.replace(/[\s-]/g, '');
  return acceptCard(TEST_CARDS.find((card) => card.number === digits));
}

function acceptCard(card: Card | undefined): Card {
  if (card === undefined) throw notATestCard('number');
  if (card.declined) throw cardDeclined();
  return card;
}

export function findCustomer({ customers }: PaymentState, id: string, param?: string): Customer {
  const customer = Object.hasOwn(customers, id) ? customers[id] : undefined;
  if (customer === undefined) throw param === undefined ? notFound('customer', id) : noSuch('customer', id, param);
  return customer;
}

export function createCustomer(ledger: Ledger, changes: CustomerChanges): Customer {
  const customer = makeCustomer(ledger.now());
  applyChanges(ledger, customer, changes);
  ledger.state.customers[customer.id] = customer;
  return customer;
}

export function updateCustomer(ledger: Ledger, id: string, changes: CustomerChanges): Customer {
  const customer = findCustomer(ledger.state, id);
  applyChanges(ledger, customer, changes);
  return customer;
}

function applyChanges(ledger: Ledger, customer: Customer, changes: CustomerChanges): void {
  const { email, name, description, metadata, paymentMethod } = changes;
  if (paymentMethod !== undefined && !isAttached(ledger.state, customer, paymentMethod)) {
    const card = TEST_CARDS.find(({ alias }) => alias === paymentMethod);
    if (card === undefined) throw noSuch('PaymentMethod', paymentMethod, 'payment_method');
    attachCard(ledger, customer, acceptCard(card));
  }
  if (email !== undefined) customer.email = email || null;
  if (name !== undefined) customer.name = name || null;
  if (description !== undefined) customer.description = description || null;
  applyMetadata(customer.metadata, metadata);
}

function isAttached({ paymentMethods }: PaymentState, customer: Customer, id: string): boolean {
  return Object.hasOwn(paymentMethods, id) && paymentMethods[id]?.customer === customer.id;
}

/** An empty value removes a name, as Stripe has it. */
export function applyMetadata(metadata: Record<string, string>, changes: ReadonlyMap<string, string>): void {
  for (const [name, value] of changes) {
    if (value === '') delete metadata[name];
    else Object.defineProperty(metadata, name, { value, enumerable: true, writable: true, configurable: true });
  }
}

/** Makes a card the one that the customer pays with. */
export function attachCard({ state, now }: Ledger, customer: Customer, card: Card): PaymentMethod {
  const method = makePaymentMethod(customer.id, card, now());
  state.paymentMethods[method.id] = method;
  customer.invoice_settings.default_payment_method = method.id;
  return method;
}

export function findPaymentMethod({ paymentMethods }: PaymentState, customer: Customer): PaymentMethod | undefined {
  const id = customer.invoice_settings.default_payment_method;
  return id === null ? undefined : paymentMethods[id];
}

/** Takes play money; false where the payment fails. */
export function chargeCustomer({ state }: Ledger, customerId: string): boolean {
  if (!Object.hasOwn(state.nextPaymentFails, customerId)) return true;
  delete state.nextPaymentFails[customerId];
  return false;
}

function makeCustomer(created: number) {
  return {
    id: makeId('cus', 14),
    object: 'customer' as const,
    address: null,
    balance: 0,
    created,
    currency: 'eur',
    customer_account: null,
    default_source: null,
    delinquent: false as boolean,
    description: null as string | null,
    discount: null,
    email: null as string | null,
    invoice_prefix: makeId('', 8).slice(1).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null as string | null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: {} as Record<string, string>,
    name: null as string | null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none' as const,
    test_clock: null,
  } satisfies Stripe.Customer;
}

function makePaymentMethod(customer: string, { number, brand }: Card, created: number) {
  return {
    id: makeId('pm'),
    object: 'payment_method' as const,
    allow_redisplay: 'always' as const,
    card: { brand, country: 'US', exp_month: 12, exp_year: 2034, funding: 'credit', last4: number.slice(-4) },
    created,
    customer,
    livemode: false,
    metadata: {},
    type: 'card' as const,
  };
}
