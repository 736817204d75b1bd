import { PaymentError } from './errors.ts';
import type { Form } from './form.ts';

/**
 * The parameters of one request. Each is read by what it has to be; what nobody has read at the end is refused, for a
 * parameter that is silently ignored hides a fault that Stripe would find.
 */
export class Parameters {
  readonly #form: Form;
  readonly #path: string;
  readonly #read = new Set<string>();
  readonly #parts: Parameters[] = [];

  constructor(form: Form, path = '') {
    this.#form = form;
    this.#path = path;
  }

  isText(name: string): boolean {
    return typeof this.#form.get(name) === 'string';
  }

  /** The full name of a parameter, as the client wrote it. */
  nameOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}[${name}]`;
  }

  text(name: string): string | undefined {
    const value = this.#take(name);
    if (value instanceof Map) throw this.invalid(name, `Invalid string: ${this.nameOf(name)} must be a string`);
    if (value !== undefined && value.length > 5_000) throw this.invalid(name, 'Invalid string: too long');
    return value;
  }

  requireText(name: string): string {
    const value = this.text(name);
    if (value) return value;
    const [code, message] =
      value === undefined
        ? ['parameter_missing', `Missing required param: ${this.nameOf(name)}.`]
        : ['parameter_invalid_empty', `You passed an empty string for '${this.nameOf(name)}'.`];
    throw new PaymentError(message, { code, param: this.nameOf(name) });
  }

  integer(name: string, lowest: number, highest: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!/^-?\d{1,15}$/.test(value) || number < lowest || number > highest) {
      const message = `Invalid integer: ${value}; it must be between ${lowest} and ${highest}`;
      throw new PaymentError(message, { code: 'parameter_invalid_integer', param: this.nameOf(name) });
    }
    return number;
  }

  flag(name: string): boolean | undefined {
    const value = this.choice(name, ['true', 'false']);
    return value === undefined ? undefined : value === 'true';
  }

  choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const choice = choices.find((each) => each === value);
    if (choice === undefined)
      throw this.invalid(name, `Invalid ${this.nameOf(name)}: must be one of ${choices.join(', ')}`);
    return choice;
  }

  /** An address to send a browser to: nothing that a browser would run instead. */
  url(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || isWebAddress(value)) return value;
    throw new PaymentError('Not a valid URL', { code: 'url_invalid', param: this.nameOf(name) });
  }

  /** What a client wants remembered with an object; an empty value removes a name. */
  metadata(name: string): ReadonlyMap<string, string> {
    const value = this.#take(name);
    if (value === undefined) return new Map();
    if (!(value instanceof Map) || value.size > 50) throw this.invalid(name, 'Invalid hash');
    const entries = [...value].map(([key, text]): [string, string] => {
      const isFit = typeof text === 'string' && key.length <= 40 && text.length <= 500;
      if (!isFit) throw this.invalid(name, 'Metadata has names of up to 40 and values of up to 500 characters');
      return [key, text];
    });
    return new Map(entries);
  }

  /** The parameters in a bracket, none if there is no such. */
  part(name: string): Parameters {
    const value = this.#take(name) ?? new Map();
    if (!(value instanceof Map)) throw this.invalid(name, 'Invalid object');
    return this.#open(value, this.nameOf(name));
  }

  /** The places of a list, each with parameters of its own. */
  parts(name: string): Parameters[] {
    const list = this.#take(name) ?? new Map();
    if (!(list instanceof Map)) throw this.invalid(name, 'Invalid array');
    return [...list].map(([place, value]) => {
      if (!(value instanceof Map)) throw this.invalid(name, 'Invalid array');
      return this.#open(value, `${this.nameOf(name)}[${place}]`);
    });
  }

  texts(name: string): string[] {
    const list = this.#take(name) ?? new Map();
    if (!(list instanceof Map)) throw this.invalid(name, 'Invalid array');
    return [...list.values()].filter((value) => typeof value === 'string');
  }

  /** Parameters that change nothing here. */
  ignore(...names: string[]): void {
    for (const name of names) this.#read.add(name);
  }

  refuseOthers(): void {
    for (const part of this.#parts) part.refuseOthers();
    for (const name of this.#form.keys()) {
      if (this.#read.has(name)) continue;
      const param = this.nameOf(name);
      const message = `Received unknown parameter: ${param}. (The sandbox knows a part of Stripe's API.)`;
      throw new PaymentError(message, { code: 'parameter_unknown', param });
    }
  }

  invalid(name: string, message: string): PaymentError {
    return new PaymentError(message, { param: this.nameOf(name) });
  }

  #take(name: string): string | Form | undefined {
    this.#read.add(name);
    return this.#form.get(name);
  }

  #open(form: Form, path: string): Parameters {
    const part = new Parameters(form, path);
    this.#parts.push(part);
    return part;
  }
}

export function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}
