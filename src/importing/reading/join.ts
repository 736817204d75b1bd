import { BATCH } from '../../formats/rows.ts';
import type { Layout } from '../../records/source-data.ts';
import type { MappedBatch, MapTools } from '../mapping/map-part.ts';
import type { PreparedRecord } from '../mapping/record.ts';
import { createTracer } from '../mapping/tracer.ts';
import { groupRows, type MappedGroup, mapGroup } from './join-groups.ts';
import { planJoin } from './join-layouts.ts';
import { partitionRows } from './join-rows.ts';
import type { TablePart } from './part.ts';
import { Partitions } from './partitions.ts';

/**
 * Maps records that are made of several rows: of joined tables, or of several rows of the main table. All rows are
 * partitioned by company, then each partition is joined in memory, so memory is bounded whatever the size and order of
 * the files. Why: docs/decisions/0015.
 */
export async function* mapJoined(
  main: readonly TablePart[],
  joined: readonly TablePart[],
  tools: MapTools,
): AsyncGenerator<MappedBatch> {
  const plan = planJoin(main, joined);
  const joinTools = { ...tools, tracer: createTracer(plan.parts, tools.parts) };
  const rows = new Partitions();
  try {
    yield* partitionRows(plan.parts, rows, tools);
    const batches = new Map<number, OpenBatch>();
    for (const text of rows.read()) {
      for (const group of groupRows(text, plan.parts, tools.problems)) {
        for (const mapped of mapGroup(group, plan, joinTools)) {
          const batch = batches.getOrInsertComputed(mapped.part, (part) => openBatch(plan.parts[part] as TablePart));
          addToBatch(batch, mapped);
          if (batch.prepared.length < BATCH && batch.length < MAX_BATCH_LENGTH) continue;
          yield batch;
          batches.delete(mapped.part);
        }
      }
    }
    yield* batches.values();
  } finally {
    rows.close();
  }
}

/** In characters. A batch of companies with many rows is smaller. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;

/** A batch that is being filled: one per main file, because a batch names its file. */
interface OpenBatch extends MappedBatch {
  /** Characters of its records. */
  length: number;
  rows: number;
  duplicates: number;
  readonly prepared: PreparedRecord[];
}

function openBatch({ file }: TablePart): OpenBatch {
  return { file, length: 0, rows: 0, duplicates: 0, prepared: [] };
}

function addToBatch(batch: OpenBatch, { record, rows }: MappedGroup): void {
  batch.rows += rows;
  batch.duplicates += rows - 1;
  if (record === null) return;
  batch.prepared.push(record);
  batch.length += record.content.text.length;
}

/** The layouts that records of this join are stored in. */
export function listJoinLayouts(main: readonly TablePart[], joined: readonly TablePart[]): Layout[] {
  const { layouts } = planJoin(main, joined);
  return [...layouts.values()].flatMap(({ plain, gathered }) => (gathered === undefined ? [plain] : [plain, gathered]));
}
