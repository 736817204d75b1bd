import { PaymentError } from './errors.ts';

/**
 * The parameters of one request, by their full names such as `line_items[0][price]`. A parameter that an operation
 * does not read is rejected: ignoring it would hide a mistake that Stripe reports.
 */
export class Parameters {
  readonly #values: ReadonlyMap<string, string>;
  readonly #read = new Set<string>();

  constructor(form: string) {
    this.#values = new Map(new URLSearchParams(form));
  }

  text(name: string): string | undefined {
    this.#read.add(name);
    const value = this.#values.get(name);
    if (value !== undefined && value.length > 5_000)
      throw new PaymentError('Invalid string: too long', { param: name });
    return value;
  }

  requireText(name: string): string {
    const value = this.text(name);
    if (value) return value;
    const [code, message] =
      value === undefined
        ? ['parameter_missing', `Missing required param: ${name}.`]
        : ['parameter_invalid_empty', `You passed an empty string for '${name}'.`];
    throw new PaymentError(message, { code, param: name });
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const number = Number(value);
    if (!/^\d{1,15}$/.test(value) || number < min || number > max) {
      const message = `Invalid integer: ${value}; it must be between ${min} and ${max}`;
      throw new PaymentError(message, { code: 'parameter_invalid_integer', param: name });
    }
    return number;
  }

  /** The only value that the sandbox supports for this parameter. */
  constant(name: string, supported: string): string | undefined {
    const value = this.text(name);
    if (value === undefined || value === supported) return value;
    throw new PaymentError(`Invalid ${name}: the sandbox supports only ${supported}`, { param: name });
  }

  /** A web address to send a browser to; `javascript:` and other schemes are rejected. */
  requireUrl(name: string): string {
    const value = this.requireText(name);
    const protocol = URL.parse(value)?.protocol;
    if (protocol === 'http:' || protocol === 'https:') return value;
    throw new PaymentError('Not a valid URL', { code: 'url_invalid', param: name });
  }

  /** All values of `name[key]`. */
  metadata(name: string): Record<string, string> {
    const keys = [...this.#values.keys()].flatMap((full) => {
      const isEntry = full.startsWith(`${name}[`) && full.endsWith(']');
      return isEntry ? full.slice(name.length + 1, -1) : [];
    });
    return Object.fromEntries(keys.map((key) => [key, this.requireText(`${name}[${key}]`)]));
  }

  rejectOthers(): void {
    for (const name of this.#values.keys()) {
      if (this.#read.has(name)) continue;
      const message = `Received unknown parameter: ${name}. (The sandbox supports a part of Stripe's API.)`;
      throw new PaymentError(message, { code: 'parameter_unknown', param: name });
    }
  }
}
