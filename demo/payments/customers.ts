import { cardDeclined, noSuch, notATestCard, notFound } from './errors.ts';
import { makeId } from './ids.ts';
import type { Ledger } from './ledger.ts';
import { type Customer, findById, type PaymentState } from './state.ts';

/** Customers and the test cards they pay with, which are not stored. */
const ACCEPTED_CARD = '4242424242424242';
const DECLINED_CARD = '4000000000000002';

/** Test cards are public. Any other number may be a real one, and must not be sent back to the page. */
export function isTestCard(number: string): boolean {
  return [ACCEPTED_CARD, DECLINED_CARD].includes(readDigits(number));
}

export function checkCard(number: string): void {
  if (!isTestCard(number)) throw notATestCard();
  if (readDigits(number) === DECLINED_CARD) throw cardDeclined();
}

function readDigits(number: string): string {
  return number.replace(/[\s-]/g, '');
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
    invoice_prefix: makeId('', 8).slice(1).toUpperCase(),
    next_invoice_sequence: 1,
  };
  state.customers[customer.id] = customer;
  return customer;
}
