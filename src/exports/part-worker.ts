import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import type { Snapshot } from '../db/db.ts';
import { type Location, openStore } from '../db/open.ts';
import { registers } from '../registers/index.ts';
import { createBulkReader, type ReadRecords, readContents } from '../registry/bulk/bulk.ts';
import { formats } from './formats.ts';
import type { ExportFormat } from './manifest.ts';
import { createPartFile, type WrittenPart } from './part-file.ts';

/** A thread that writes files, one at a time. It reads a snapshot of its own and says which version of the data that is. */
export interface PartWork {
  readonly location: Pick<Location, 'databaseUrl' | 'dataDir'>;
  readonly format: ExportFormat;
}

export interface PartTask {
  readonly path: string;
  /** Joined: one long string is cheaper to send than many short ones. */
  readonly ids: string;
}

export type PartMessage =
  | { readonly type: 'ready'; readonly version: string }
  | { readonly type: 'rows'; readonly rows: number }
  | { readonly type: 'written'; readonly part: WrittenPart };

const ID_LENGTH = 36;
/** Progress is reported after so many rows. */
const REPORTED_ROWS = 2_048;

const port = parentPort;
if (port === null) throw new Error('this file runs in a thread');
const { location, format } = workerData as PartWork;
const send = (message: PartMessage) => port.postMessage(message);
const db = openStore('registry', { ...location, poolSize: 1 });
try {
  await db.snapshot(serve);
} finally {
  await db.close();
}
port.close();

/** Until a task is undefined. */
async function serve(view: Snapshot): Promise<void> {
  const read = createBulkReader(view, registers);
  const { version } = await readContents(view);
  send({ type: 'ready', version });
  for (;;) {
    const [task] = (await once(port as NonNullable<typeof port>, 'message')) as [PartTask | undefined];
    if (task === undefined) return;
    send({ type: 'written', part: await writePart(task, read) });
  }
}

async function writePart({ path, ids: joined }: PartTask, read: ReadRecords): Promise<WrittenPart> {
  const ids = Array.from({ length: joined.length / ID_LENGTH }, (_, index) => {
    return joined.slice(index * ID_LENGTH, (index + 1) * ID_LENGTH);
  });
  const file = createPartFile(path);
  const writer = formats[format].createWriter(file);
  let rows = 0;
  for await (const records of read(ids)) {
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
