import { fail } from '../core/errors.ts';

/** The value of the only field a body may have: for small bodies, whose mistakes deserve a sentence and not a schema's words. */
export function readOnlyField(body: unknown, field: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw fail('invalid_request', { message: `The body must be a JSON object with the field "${field}".` });
  }
  if (Object.keys(body).some((name) => name !== field)) {
    const message = `The body has a field that is not known here: it takes "${field}" and no other.`;
    throw fail('invalid_request', { message });
  }
  return Reflect.get(body, field);
}

/** A reader of bodies that throws what is wrong, as Fastify wants a validator to be. */
export function bodyReader<T>(read: (body: unknown) => T): () => (body: unknown) => { value: T } | { error: Error } {
  return () => (body) => {
    try {
      return { value: read(body) };
    } catch (error) {
      return { error: error as Error };
    }
  };
}
