import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';

/**
 * Distinguishes a path that does not exist (404) from one that does not support the method (405 with `Allow`). This runs before the
 * body is read, so that an invalid or oversized body cannot change the answer.
 */
export function collectPaths(app: FastifyInstance): (request: FastifyRequest) => never {
  const paths = new Map<string, { pattern: RegExp; methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const entry = paths.get(url) ?? { pattern: patternOf(url), methods: new Set<string>() };
    for (const name of [method].flat()) entry.methods.add(name);
    paths.set(url, entry);
  });
  return (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const matches = [...paths.values()].filter(({ pattern }) => pattern.test(path));
    if (matches.length === 0) throw fail('not_found');
    const allowed = new Set(matches.flatMap(({ methods }) => [...methods]));
    throw fail('method_not_allowed', { headers: { Allow: [...allowed].sort().join(', ') } });
  };
}

function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : RegExp.escape(part);
  });
  return new RegExp(`^${parts.join('')}$`);
}
