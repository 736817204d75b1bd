import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fail } from '../core/errors.ts';
import type { Authentication } from './contract.ts';

/** What is known about a path, whichever methods it supports. */
interface KnownPath {
  readonly methods: Set<string>;
  /** Undefined for pages. */
  authentication: Authentication | undefined;
  isOpenToPages: boolean;
}

export interface Paths {
  /** Undefined if there is nothing at the path of the request. */
  find(request: FastifyRequest): KnownPath | undefined;
  /**
   * Distinguishes a path that does not exist (404) from one that does not support the method (405 with `Allow`). Call it before
   * the body is read, so that an invalid or oversized body cannot change the answer.
   */
  rejectUnmatched(request: FastifyRequest): never;
}

/** Collects the path of every route that is registered after this call. */
export function collectPaths(app: FastifyInstance): Paths {
  const paths = new Map<string, KnownPath & { readonly pattern: RegExp }>();
  app.addHook('onRoute', ({ url, method, config }) => {
    const entry = paths.get(url) ?? { pattern: patternOf(url), methods: new Set(), ...NOT_AN_OPERATION };
    for (const name of [method].flat()) entry.methods.add(name);
    entry.authentication ??= config?.operation?.authentication;
    entry.isOpenToPages ||= config?.operation?.isOpenToPages === true;
    paths.set(url, entry);
  });

  function find(request: FastifyRequest): KnownPath | undefined {
    const path = request.url.split('?', 1)[0] ?? '';
    const matches = [...paths.values()].filter(({ pattern }) => pattern.test(path));
    if (matches.length === 0) return undefined;
    const methods = new Set(matches.flatMap((match) => [...match.methods]));
    const { authentication, isOpenToPages } = matches.find((match) => match.authentication) ?? NOT_AN_OPERATION;
    return { methods, authentication, isOpenToPages };
  }

  return {
    find,
    rejectUnmatched(request) {
      const known = find(request);
      if (known === undefined) throw fail('not_found');
      throw fail('method_not_allowed', { headers: { Allow: [...known.methods].sort().join(', ') } });
    },
  };
}

const NOT_AN_OPERATION = { authentication: undefined, isOpenToPages: false };

function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part.startsWith(':')) return '[^/]+';
    return part === '*' ? '.*' : RegExp.escape(part);
  });
  return new RegExp(`^${parts.join('')}$`);
}
