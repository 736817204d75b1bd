/** An error of the sandbox's API or pages, in Stripe's words and shape. */
export class PaymentError extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;
  readonly param: string | undefined;

  constructor(message: string, details: PaymentErrorDetails = {}) {
    super(message);
    this.name = 'PaymentError';
    this.status = details.status ?? 400;
    this.type = details.type ?? 'invalid_request_error';
    this.code = details.code;
    this.param = details.param;
  }

  toBody(): { error: Record<string, string> } {
    const { message, type, code, param } = this;
    return { error: { ...(code && { code }), message, ...(param && { param }), type } };
  }
}

interface PaymentErrorDetails {
  readonly status?: number;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
}

/** The id in the path is unknown. */
export function notFound(kind: string, id: string): PaymentError {
  return new PaymentError(`No such ${kind}: '${id}'`, { status: 404, code: 'resource_missing', param: 'id' });
}

/** The id in a parameter is unknown. */
export function noSuch(kind: string, id: string, param: string): PaymentError {
  return new PaymentError(`No such ${kind}: '${id}'`, { code: 'resource_missing', param });
}

export function cardDeclined(): PaymentError {
  const details = { status: 402, type: 'card_error', code: 'card_declined' };
  return new PaymentError('Your card was declined. You were not charged. Try another card, or ask your bank.', details);
}

export function notATestCard(): PaymentError {
  const message = 'The sandbox accepts test cards only: use a test card such as 4242 4242 4242 4242.';
  return new PaymentError(message, { status: 402, type: 'card_error', code: 'incorrect_number', param: 'number' });
}
