/** Renders `docs/registers/status.md`: what each status means, and which registers have it. */
import { entityStatuses, statusMeanings } from '../src/base/entity-status.ts';
import { writeRegisters, writeTable } from './markdown-table.ts';
import type { RegisterPage } from './register-page.ts';

const INTRO = `# Status of a company

<!-- Written by "npm run generate:docs" from src/base/entity-status.ts and the mappings of the registers. -->

Every record has a normalized \`status\`. The search parameter \`status\` filters by it. New values may be added.
`;

const MORE = `What the source says is kept: as text in \`registrations[].status\`, as code in \`registrations[].statusCode\`, with
dates and reasons in [\`registry.status\`](fields.md#status), and unchanged in \`sourceData\`. A status that the import
does not know becomes \`unknown\` and is reported at import. \`delisted\` does not come from a source: an import sets it
if a company is missing from the latest complete file of its register. The page of each [register](README.md) says which of its values mean which
status.
`;

/** `pages` has the pages of the registers by id. */
export function renderStatuses(pages: ReadonlyMap<string, RegisterPage>): string {
  const rows = entityStatuses.map((status) => {
    const ids = Array.from(pages, ([id, { statuses }]) => (statuses.has(status) ? [id] : [])).flat();
    return [`\`${status}\``, statusMeanings[status], ids.length === 0 ? 'set by the import' : writeRegisters(ids)];
  });
  return [INTRO, writeTable(['Status', 'Meaning', 'Registers'], rows), MORE].join('\n');
}
