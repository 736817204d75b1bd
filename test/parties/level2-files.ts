import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import type { ImportResult } from '../../src/import/import-result.ts';
import { gleif } from '../../src/registers/gleif/register.ts';
import { registers } from '../../src/registers/index.ts';
import { untilSearchServes } from '../harness/entities.ts';
import type { TestService } from '../harness/service.ts';

/** An LEI that starts with this text. */
export function lei(name: string): string {
  return name.toUpperCase().padEnd(18, '0').concat('00');
}

export type Company = readonly [name: string, country?: string];

/** The companies of a Level 1 file. */
export function writeCompanies(companies: readonly Company[]): string {
  const rows = companies.map(([name, country = 'DE']) => `${lei(name)},${name},${country},ACTIVE`);
  return ['LEI,Entity.LegalName,Entity.LegalJurisdiction,Entity.EntityStatus', ...rows, ''].join('\n');
}

export interface Relationship {
  readonly child: string;
  readonly parent: string;
  readonly type?: string;
  readonly status?: string;
  readonly registration?: string;
  readonly from?: string;
  readonly until?: string;
}

const TYPE = 'IS_DIRECTLY_CONSOLIDATED_BY';

export function writeRelationships(list: readonly Relationship[]): string {
  const nodes = ['StartNode', 'EndNode'].flatMap((node) => [`${node}.NodeID`, `${node}.NodeIDType`]);
  const periods = ['startDate', 'endDate', 'periodType'].map((name) => `Period.1.${name}`);
  const header = [...nodes, 'RelationshipType', 'RelationshipStatus', ...periods].map((name) => `Relationship.${name}`);
  const rows = list.map(({ child, parent, type = TYPE, status = 'ACTIVE', registration = 'PUBLISHED', from, until }) =>
    [
      ...[lei(child), 'LEI', lei(parent), 'LEI', type, status],
      ...[from ?? '', until ?? '', 'RELATIONSHIP_PERIOD', registration],
    ].join(','),
  );
  return [[...header, 'Registration.RegistrationStatus'].join(','), ...rows, ''].join('\n');
}

export function writeExceptions(list: readonly (readonly [company: string, reason: string, level?: string])[]): string {
  const rows = list.map(([company, reason, level = 'DIRECT']) =>
    [lei(company), `${level}_ACCOUNTING_CONSOLIDATION_PARENT`, reason].join(','),
  );
  return ['LEI,Exception.Category,Exception.Reason.1', ...rows, ''].join('\n');
}

/** Imports files of GLEIF, given by name and text, and waits until search serves them. */
export async function importGleif(
  service: TestService,
  files: Readonly<Record<string, string>>,
  options: Partial<ImportOptions> = {},
): Promise<ImportResult> {
  const folder = mkdtempSync(join(service.database.dataDir, 'in-'));
  const paths = Object.entries(files).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  const request = { register: gleif, registers, paths, ...options };
  const result = await importFiles(service.services.registryDb, service.clock, request);
  await untilSearchServes(service);
  return result;
}

/** The ids of the companies by name. */
export async function readIds(service: TestService): Promise<Readonly<Record<string, string>>> {
  const rows = await service.services.registryDb.all<{ id: string; name: string }>(
    "SELECT id, canonical_name AS name FROM entities WHERE register = 'gleif' AND status <> 'delisted'",
  );
  return Object.fromEntries(rows.map(({ id, name }) => [name, id]));
}
