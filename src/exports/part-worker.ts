import { workerData } from 'node:worker_threads';
import { type BulkRegister, createBulkReader, type ReadRecords, type RowKey } from '../records/bulk/bulk.ts';
import { formats } from './formats.ts';
import type { ExportFormat } from './manifest.ts';
import { createPartFile, type WrittenPart } from './part-file.ts';
import type { ThreadData } from './thread.ts';
import { type Send, serveTasks } from './thread-view.ts';

/** A thread that writes files, one at a time. */
export interface PartData extends ThreadData {
  readonly format: ExportFormat;
  readonly registers: readonly BulkRegister[];
}

export interface PartTask {
  readonly path: string;
  readonly keys: readonly RowKey[];
}

/** Progress is reported every time this many rows are written. */
const REPORTED_ROWS = 2_048;

const { format, registers } = workerData as PartData;

await serveTasks<PartTask>((view, { version }, send) => {
  const read = createBulkReader(view, version, registers);
  return (task) => writePart(task, read, send);
});

async function writePart({ path, keys }: PartTask, read: ReadRecords, send: Send): Promise<WrittenPart> {
  const file = createPartFile(path);
  const writer = formats[format].createWriter(file);
  let rows = 0;
  for await (const records of read(keys)) {
    await writer.add(records);
    rows += records.length;
    if (rows < REPORTED_ROWS) continue;
    send({ type: 'rows', rows });
    rows = 0;
  }
  await writer.end();
  send({ type: 'rows', rows });
  return file.finish();
}
