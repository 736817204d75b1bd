import { PaymentError } from './errors.ts';
import type { PaymentState } from './ledger.ts';

const DEEPEST = 4;

/** Puts whole objects in the place of ids, where the client asks for it by paths like `data.customer`. */
export function expandObject(state: PaymentState, object: object, paths: readonly string[]): object {
  if (paths.length === 0) return object;
  const copy = structuredClone(object);
  for (const path of paths) expandPath(state, copy, path.split('.'), path);
  return copy;
}

function expandPath(state: PaymentState, value: unknown, steps: readonly string[], path: string): void {
  const [name, ...rest] = steps;
  if (name === undefined || value === null) return;
  if (Array.isArray(value)) {
    for (const each of value) expandPath(state, each, steps, path);
    return;
  }
  const holder = value as Record<string, unknown>;
  if (typeof value !== 'object' || !Object.hasOwn(holder, name) || steps.length > DEEPEST) throw notExpandable(path);
  const inner = holder[name];
  if (typeof inner === 'string') {
    const found = findAnything(state, inner);
    if (found === undefined) throw notExpandable(path);
    holder[name] = structuredClone(found);
  }
  expandPath(state, holder[name], rest, path);
}

function findAnything(state: PaymentState, id: string): object | undefined {
  const { customers, subscriptions, invoices, paymentMethods } = state;
  return [customers, subscriptions, invoices, paymentMethods].find((kind) => Object.hasOwn(kind, id))?.[id];
}

function notExpandable(path: string): PaymentError {
  return new PaymentError(`This property cannot be expanded (${path}).`, { param: 'expand' });
}
