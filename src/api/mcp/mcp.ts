import type { Tool } from './tool.ts';
import { checkNumberTool } from './tools/check-number.ts';
import { companyTool } from './tools/get-company.ts';
import { countriesTool } from './tools/list-countries.ts';
import { matchTool } from './tools/match-company.ts';
import { changesTool } from './tools/recent-changes.ts';
import { searchTool } from './tools/search-companies.ts';
import { provenanceTool } from './tools/verify-provenance.ts';

/**
 * Tools for assistants (Model Context Protocol) over the same services as the API. This folder owns the tools, their texts, the protocol
 * (`protocol.ts`) and the endpoint (`endpoint.ts`), which charges for calls.
 */
export const tools: readonly Tool[] = [
  searchTool,
  matchTool,
  companyTool,
  countriesTool,
  changesTool,
  checkNumberTool,
  provenanceTool,
];
