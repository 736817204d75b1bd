/** Renders `docs/registers/status.md`: what each status means, and which registers have it by the section "Status" of their pages. */
import { existsSync, readFileSync } from 'node:fs';
import { type EntityStatus, entityStatuses, statusMeanings } from '../src/base/entity-status.ts';
import { registers } from '../src/registers/index.ts';
import { writeRegisters, writeTable } from './markdown-table.ts';

const INTRO = `# Status of a company

<!-- Written by "npm run generate:docs" from src/base/entity-status.ts and the pages of the registers. -->

Every record has a normalized \`status\`. The search parameter \`status\` filters by it. New values may be added.
`;

const MORE = `What the source says is kept: as text in \`registrations[].status\`, as code in \`registrations[].statusCode\`, with
dates and reasons in [\`registry.status\`](fields.md#status), and unchanged in \`sourceData\`. A status that the import
does not know becomes \`unknown\` and is reported at import. \`delisted\` does not come from a source: an import sets it
if a company is missing from the latest complete file of its register. The page of each [register](README.md) says which of its values mean which
status.
`;

export function renderStatuses(): string {
  const statuses = new Map(registers.map(({ id }) => [id, listStatuses(readStatusSection(id))]));
  const rows = entityStatuses.map((status) => {
    const ids = registers.flatMap(({ id }) => (statuses.get(id)?.has(status) ? [id] : []));
    return [`\`${status}\``, statusMeanings[status], ids.length === 0 ? 'set by the import' : writeRegisters(ids)];
  });
  return [INTRO, writeTable(['Status', 'Meaning', 'Registers'], rows), MORE].join('\n');
}

/** The text under the heading "Status" of the register's page. */
export function readStatusSection(id: string): string {
  const path = new URL(`../docs/registers/${id}.md`, import.meta.url);
  if (!existsSync(path)) throw new Error(`add docs/registers/${id}.md, the page of the register for users`);
  const page = readFileSync(path, 'utf8');
  const [, section] = /^##+ Status\n+(.*?)(?=^##|$(?![\s\S]))/ms.exec(page) ?? [];
  if (section === undefined) {
    throw new Error(`docs/registers/${id}.md: add a section "Status" with the table of statuses`);
  }
  return `${section.trim()}\n`;
}

/** The statuses in the column `status` of the section's table. */
export function listStatuses(section: string): ReadonlySet<EntityStatus> {
  const [header = [], , ...rows] = section.split('\n').filter(isRow).map(splitRow);
  const column = header.indexOf('`status`');
  return new Set(entityStatuses.filter((status) => rows.some((cells) => cells[column]?.includes(`\`${status}\``))));
}

function isRow(line: string): boolean {
  return line.startsWith('|');
}

function splitRow(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
