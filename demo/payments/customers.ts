import { cardDeclined, noSuch, notATestCard, notFound } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { type Customer, findById, type PaymentMethod, type PaymentState } from './state.ts';

/** Customers and the cards they pay with. */
interface Card {
  readonly number: string;
  readonly brand: 'visa' | 'mastercard';
  readonly declined: boolean;
}

const TEST_CARDS: readonly Card[] = [
  { number: '4242424242424242', brand: 'visa', declined: false },
  { number: '5555555555554444', brand: 'mastercard', declined: false },
  { number: '4000000000000002', brand: 'visa', declined: true },
];

/** Test cards are public. Any other number may be a real one, and must not be sent back to the page. */
export function isTestCard(number: string): boolean {
  return findTestCard(number) !== undefined;
}

/** Finds the card with or without spaces and dashes in its number. */
function findTestCard(number: string): Card | undefined {
  const digits = number.replace(/[\s-]/g, '');
  return TEST_CARDS.find((each) => each.number === digits);
}

/** Accepts test cards only. */
export function checkCard(number: string): Card {
  const card = findTestCard(number);
  if (card === undefined) throw notATestCard();
  if (card.declined) throw cardDeclined();
  return card;
}

/** `param` names the request parameter the id comes from; without it the id is part of the path. */
export function findCustomer({ customers }: PaymentState, id: string, param?: string): Customer {
  const customer = findById(customers, id);
  if (customer === undefined) throw param === undefined ? notFound('customer', id) : noSuch('customer', id, param);
  return customer;
}

export function createCustomer({ state, now }: Ledger, email: string | null, metadata: Customer['metadata']): Customer {
  const customer: Customer = {
    id: makeId('cus', 14),
    object: 'customer',
    created: now(),
    email,
    metadata,
    invoice_settings: { default_payment_method: null },
    invoice_prefix: makeId('', 8).slice(1).toUpperCase(),
    next_invoice_sequence: 1,
  };
  state.customers[customer.id] = customer;
  return customer;
}

/** Makes the card the one that the customer pays with. */
export function attachCard({ state }: Ledger, customer: Customer, { number, brand }: Card): void {
  const card = { brand, last4: number.slice(-4), exp_month: 12, exp_year: 2034 };
  const method: PaymentMethod = { id: makeId('pm'), object: 'payment_method', card };
  state.paymentMethods[method.id] = method;
  customer.invoice_settings.default_payment_method = method.id;
}

export function findPaymentMethod({ paymentMethods }: PaymentState, customer: Customer): PaymentMethod | undefined {
  const id = customer.invoice_settings.default_payment_method;
  return id === null ? undefined : paymentMethods[id];
}

/** Returns whether the payment succeeded. */
export function chargeCustomer({ state }: Ledger, customerId: string): boolean {
  if (!Object.hasOwn(state.nextPaymentFails, customerId)) return true;
  delete state.nextPaymentFails[customerId];
  return false;
}
