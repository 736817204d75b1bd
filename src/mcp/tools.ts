import type { Clock } from '../core/clock.ts';
import type { ChangeFeed } from '../journal/feed/feed.ts';
import type { Matcher } from '../matching/matching.ts';
import type { Registry } from '../registry/registry.ts';
import type { Search } from '../search/search.ts';
import type { Proofs } from '../updating/proofs.ts';
import type { Tool } from './tool.ts';
import { checkNumberTool } from './tools/check-number.ts';
import { createCompanyTool } from './tools/get-company.ts';
import { createCountriesTool } from './tools/list-countries.ts';
import { createMatchTool } from './tools/match-company.ts';
import { createChangesTool } from './tools/recent-changes.ts';
import { createSearchTool } from './tools/search-companies.ts';
import { createProvenanceTool } from './tools/verify-provenance.ts';

export interface ToolServices {
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
