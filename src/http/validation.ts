import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify';
import Type, { type TObject } from 'typebox';
import { fail } from '../core/errors.ts';
import { compileReader } from '../validation/reader.ts';

/**
 * Connects the readers of `validation/` to Fastify: path, query string and body of every request are validated by the schema
 * that the route declares, and no query parameter is ever ignored.
 */
export function validateRequests(app: FastifyInstance): void {
  app.setValidatorCompiler(compileValidator);
  app.addHook('onRoute', (route) => {
    const operation = route.config?.operation;
    if (operation === undefined || operation.ignoresQuery === true) return;
    route.schema = { querystring: NoParameters, ...route.schema };
    // A route that attaches errors reports them itself, in its own order.
    if (route.attachValidation !== true) route.preValidation = checkEncodingFirst;
  });
}

const NoParameters = Type.Object({}, { additionalProperties: false });

const PARTS = { params: 'path', querystring: 'query', body: 'body' } as const;

const compileValidator: FastifySchemaCompiler<TObject> = ({ schema, httpPart }) => {
  // Headers are only documented: Node delivers each one as a string, and every string is a valid `If-None-Match`.
  if (httpPart !== 'params' && httpPart !== 'querystring' && httpPart !== 'body') return () => true;
  const read = compileReader(schema, PARTS[httpPart]);
  return (given: unknown) => {
    try {
      return { value: read(given) };
    } catch (error) {
      return { error: error as Error };
    }
  };
};

async function checkEncodingFirst(request: FastifyRequest): Promise<void> {
  checkQueryEncoding(request.url);
}

/** Fastify leaves malformed escapes such as `%E0%A4` as they are, so a schema cannot reject them. */
export function checkQueryEncoding(url: string): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('%', start)) return;
  try {
    decodeURIComponent(url.slice(start + 1));
  } catch {
    throw fail('invalid_request', { message: 'The query string is not valid percent-encoded UTF-8.' });
  }
}
