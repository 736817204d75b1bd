import Type from 'typebox';
import { fail } from '../base/errors.ts';
import { compileReader } from '../base/validation.ts';
import type { HttpRequest, Parameters } from './request.ts';
import type { Route } from './route.ts';

const NoParameters = Type.Object({}, { additionalProperties: false });

/** These bound the memory for known queries. */
const MAX_KNOWN_QUERIES = 1_000;
const MAX_KNOWN_LENGTH = 200;

export function createParameters({ schema = {}, operation }: Pick<Route, 'schema' | 'operation'>): Parameters {
  const isStrict = operation !== undefined && operation.ignoresQuery !== true;
  const { params, body, querystring = isStrict ? NoParameters : undefined } = schema;
  const readPath = params && compileReader(params, 'path');
  const readQuery = querystring && compileReader(querystring, 'query');
  const readBody = body && compileReader(body, 'body');
  const known = new Map<string, object>();

  function findQuery({ search, query }: HttpRequest): object {
    if (readQuery === undefined) return query as object;
    const given = Object.freeze(readQuery(query));
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    if (search.length <= MAX_KNOWN_LENGTH) known.set(search, given);
    return given;
  }

  function read(request: HttpRequest): object {
    const { search } = request;
    const found = known.get(search);
    if (found === undefined && isStrict) checkEncoding(search);
    if (readPath === undefined) {
      request.query = found ?? findQuery(request);
      return request.query as object;
    }
    request.params = readPath(request.params);
    request.query = found ?? findQuery(request);
    return { ...(request.params as object), ...(request.query as object) };
  }

  return {
    read,
    validate(request) {
      if (isStrict) checkEncoding(request.search);
      if (readBody !== undefined) {
        // The path is reported before the body, and the body before the query.
        if (readPath !== undefined) readPath(request.params);
        request.body = readBody(request.body ?? null);
      }
      if (readPath !== undefined || readQuery !== undefined) read(request);
    },
  };
}

/** Malformed escapes such as `%E0%A4` stay as they are when the query is parsed, so a schema cannot reject them. */
export function checkEncoding(search: string): void {
  if (!search.includes('%')) return;
  try {
    decodeURIComponent(search);
  } catch {
    throw fail('invalid_request', { message: 'The query string is not valid percent-encoded UTF-8.' });
  }
}
