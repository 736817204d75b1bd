import type { FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';
import { findNearest } from '../core/nearest.ts';

/**
 * No parameter is ever ignored: an unknown one, one given twice and one that is not correctly percent-encoded are
 * refused before anything is validated, with the name of what was probably meant.
 */
export function checkQueryString(request: FastifyRequest): void {
  const start = request.url.indexOf('?');
  if (start === -1 || start === request.url.length - 1) return;
  const known = knownParameters(request);
  const seen = new Set<string>();
  for (const pair of request.url.slice(start + 1).split('&')) {
    if (pair === '') continue;
    const name = decode(pair.split('=', 1)[0] ?? '');
    decode(pair);
    if (!known.includes(name)) throw fail('invalid_request', { message: unknownParameter(name, known) });
    if (seen.has(name)) throw fail('invalid_request', { message: `The query parameter "${name}" is given twice.` });
    seen.add(name);
  }
}

function knownParameters(request: FastifyRequest): readonly string[] {
  const schema = request.routeOptions.schema?.querystring as { properties?: object } | undefined;
  return Object.keys(schema?.properties ?? {});
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw fail('invalid_request', { message: 'The query string is not correctly percent-encoded UTF-8.' });
  }
}

function unknownParameter(name: string, known: readonly string[]): string {
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
  if (known.length === 0) return `Unknown query parameter ${shown}: this path takes none.`;
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return `Unknown query parameter ${shown}: ${hint}`;
}
