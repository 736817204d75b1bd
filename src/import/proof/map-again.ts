import { type SourceName, sourceNames, summaryFields } from '../../base/entity-summary.ts';
import { parseSetModes } from '../../base/party-modes.ts';
import type { Json } from '../../base/source-files.ts';
import { type Batches, FormatError } from '../../formats/rows.ts';
import type { Register } from '../../registers/contract.ts';
import { parseContent } from '../../registry/records/record-content.ts';
import { contentColumns } from '../../registry/records/store.ts';
import { buildCodes, mapJob, planJobs } from '../jobs.ts';
import { loadCodeTables } from '../mapping/map-rows.ts';
import { createProblems } from '../mapping/problems.ts';
import { createPrepareTools, type PreparedRow, type PrepareTools } from '../mapping/record.ts';
import { describePart } from '../mapping/tracer.ts';
import type { Part } from '../reading/part.ts';
import type { Claim } from './claim.ts';
import { Comparer, type Comparison } from './compare.ts';
import type { ReadPart } from './read-again.ts';

/**
 * Maps the rows of a record again, by the same functions as an import, and compares the normalized fields. They differ
 * if the record was changed in the store, or if another version of the program imported it. Returns the reason if the
 * rows are not a record.
 */
export async function compareFields(
  claim: Claim,
  read: readonly ReadPart[],
  register: Register,
  registers: readonly Register[],
): Promise<Comparison | { readonly problem: string }> {
  const tools = createPrepareTools(register, registers, parseSetModes(claim.file?.modes), claim.suppressed);
  const mapped = await mapAgain(read, tools).catch((error: unknown) => {
    if (error instanceof FormatError) return { problem: error.message };
    throw error;
  });
  if ('problem' in mapped) return mapped;
  const record = mapped.records.find(({ id }) => id === claim.id) ?? (mapped.records[0] as PreparedRow);
  const { status, ...others } = fieldsOf(record);
  const original = { id: record.id, ...others, ...(!claim.isDelisted && { status: status as Json }) };
  const comparer = new Comparer();
  comparer.compareValues({ id: claim.id, ...claim.fields }, original, { table: null, row: null });
  return comparer;
}

/** The parts are in the order of the import: which of several rows is the main one may depend on it. */
async function mapAgain(
  read: readonly ReadPart[],
  common: PrepareTools,
): Promise<{ readonly records: readonly PreparedRow[] } | { readonly problem: string }> {
  const parts = [...read].sort((one, other) => one.claimed.number - other.claimed.number).map(replayPart);
  const problems = createProblems();
  const { register } = common;
  const tools = {
    ...common,
    parts: parts.map(describePart),
    codes: buildCodes(register, await loadCodeTables(parts)),
    problems,
    onBytes: () => undefined,
  };
  const records: PreparedRow[] = [];
  for (const job of planJobs(parts, register)) {
    for await (const { prepared } of mapJob(job, tools)) records.push(...prepared);
  }
  if (records.length > 0) return { records };
  const [skipped] = problems.skipped.keys();
  return { problem: problems.first[0]?.problem ?? skipped ?? 'the rows are not a record' };
}

function replayPart({ part, rows }: ReadPart): Part {
  async function* replay() {
    yield rows;
  }
  return { ...part, read: replay as () => Batches<never> };
}

function fieldsOf({ content }: PreparedRow): Record<string, Json> {
  const values = parseContent(content);
  const read = (column: (typeof contentColumns)[number]) => values[contentColumns.indexOf(column)] as string | null;
  const summary = sourceNames.map((name: SourceName) => [name, read(summaryFields[name].column)]);
  return {
    ...Object.fromEntries(summary),
    registrations: JSON.parse(read('registrations') ?? 'null'),
    registry: JSON.parse(read('registry') ?? 'null'),
  };
}
