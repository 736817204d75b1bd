import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { exceedsBounds } from '../../base/json/json-bounds.ts';
import type { Proofs } from '../../import/proof/proofs.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Matcher } from '../../search/match/matching.ts';
import type { Search } from '../../search/search.ts';
import type { ChangeFeed } from '../../watch/feed/feed.ts';
import type { Protocol } from './protocol.ts';
import type { Tool } from './tool.ts';
import { checkNumberTool } from './tools/check-number.ts';
import { createCompanyTool } from './tools/get-company.ts';
import { createCountriesTool } from './tools/list-countries.ts';
import { createMatchTool } from './tools/match-company.ts';
import { createChangesTool } from './tools/recent-changes.ts';
import { createSearchTool } from './tools/search-companies.ts';
import { createProvenanceTool } from './tools/verify-provenance.ts';

/**
 * Tools for assistants (Model Context Protocol) over the same services as the API. This folder owns the tools and their texts,
 * and knows the protocol. It does not own the endpoint: `endpoint.ts` passes messages here, and charges for calls.
 */
export type Mcp = Protocol;

export function createMcp(services: ToolServices & { readonly version: string }): Mcp {
  let protocol: Promise<Protocol> | undefined;

  async function load(): Promise<Protocol> {
    const { createProtocol } = await import('./protocol.ts');
    return createProtocol(services.version, createTools(services));
  }

  return {
    async answer(request, message, session) {
      protocol ??= load();
      return (await protocol).answer(request, message, session);
    },
  };
}

interface ToolServices {
  readonly search: Search;
  readonly matcher: Matcher;
  readonly registry: Registry;
  readonly changes: ChangeFeed;
  readonly proofs: Pick<Proofs, 'prove' | 'maxCallMs'>;
  readonly clock: Clock;
}

export function createTools({ search, matcher, registry, changes, proofs, clock }: ToolServices): readonly Tool[] {
  return [
    createSearchTool(search, registry),
    createMatchTool(matcher, registry),
    createCompanyTool(registry),
    createCountriesTool(registry, clock),
    createChangesTool(changes, registry, clock),
    checkNumberTool,
    createProvenanceTool(registry, proofs),
  ];
}

/**
 * Bounds of a message. The package of the protocol validates every level and value of it, which took 6 to 11 µs each. The
 * official client sent at most 4 levels and 16 values in 125 messages of both revisions; other clients were not measured.
 */
const BOUNDS = { maxDepth: 16, maxValues: 256 };

/** Rejects the text of a message that would take long to read, before anything is built from it. */
export function checkMessage(text: string): void {
  if (exceedsBounds(text, BOUNDS)) throw fail('invalid_request', { message: TOO_COMPLEX });
}

const TOO_COMPLEX = `The message is too complex: send at most ${BOUNDS.maxValues} values in at most ${BOUNDS.maxDepth} levels.`;
