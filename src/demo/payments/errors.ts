/** A refusal of the payment sandbox, in the words and the shape that Stripe uses. */
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

/** For a path that names nothing. */
export function notFound(kind: string, id: string): PaymentError {
  return new PaymentError(`No such ${kind}: '${id}'`, { status: 404, code: 'resource_missing', param: 'id' });
}

/** For a parameter that names nothing. */
export function noSuch(kind: string, id: string, param: string): PaymentError {
  return new PaymentError(`No such ${kind}: '${id}'`, { code: 'resource_missing', param });
}

export function cardDeclined(): PaymentError {
  const details = { status: 402, type: 'card_error', code: 'card_declined' };
  return new PaymentError('Your card was declined.', details);
}

export function notATestCard(param: string): PaymentError {
  const message = 'This is not a card of the sandbox: use a test card, for example 4242 4242 4242 4242.';
  return new PaymentError(message, { status: 402, type: 'card_error', code: 'incorrect_number', param });
}
