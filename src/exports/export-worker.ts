import type { Snapshot } from '../base/db/db.ts';
import { openExistingStore, type StorePlace } from '../base/db/open.ts';
import { type ExportFormat, isPartyFormat } from '../base/export-formats.ts';
import { createEmitter, readThreadData, serveThread } from '../base/system/thread-worker.ts';
import { createPartyReader, listPartyKeys, type SelectedSet } from '../registry/parties/bulk/bulk.ts';
import {
  type BulkKey,
  type BulkRegister,
  createBulkReader,
  findMoment,
  listKeys,
  type Moment,
  type RowKey,
  type Selection,
} from '../registry/records/bulk/bulk.ts';
import { createPartFile, type PartFile, type PartWriter, type WrittenPart } from './part-file.ts';
import { type ExportPart, type PartOptions, planParts } from './parts.ts';

/** A thread of an export. The thread reads its own snapshot, and either sorts the keys or writes files, one at a time. */
export interface ExportThread {
  /** The data that the thread's snapshot shows. */
  moment(): Moment;
  /** The next file to write; undefined after the last file. On SQLite, sorting blocks the thread. */
  nextPart(): Promise<ExportPart | undefined>;
  write(task: PartTask): Promise<WrittenPart>;
}

export interface ExportEvents {
  /** Progress of `write`. */
  rows(rows: number): void;
}

export interface ExportData {
  readonly location: StorePlace;
  readonly format: ExportFormat;
  readonly registers: readonly BulkRegister[];
  readonly selection: Selection;
  /** The sets of an export of parties; otherwise empty. */
  readonly sets: readonly SelectedSet[];
  /** SQL that counts parties. */
  readonly counts: string;
  readonly parts: PartOptions;
  /** Whether the thread writes files. The sorting thread does not load the formats, which take longer to load than everything else. */
  readonly isWriter: boolean;
}

export interface PartTask {
  readonly path: string;
  readonly keys: readonly RowKey[];
}

/** Progress is reported every time this many rows are written. */
const REPORTED_ROWS = 2_048;

const { location, format, registers, selection, sets, counts, parts, isWriter } = readThreadData<ExportData>();
const loadFormats = async () => (await import('./formats.ts')).formats;
if (isWriter) await loadFormats();
const emit = createEmitter<ExportEvents>();
const db = openExistingStore('registry', { ...location, poolSize: 1 });
try {
  await db.snapshot(serve);
} finally {
  await db.close();
}

/** How an export reads rows and writes them. */
interface Rows<Row> {
  readonly keys: AsyncIterable<readonly BulkKey[]>;
  read(keys: readonly RowKey[]): AsyncIterable<readonly Row[]>;
  createWriter(file: PartFile): Promise<PartWriter<Row>>;
}

async function serve(view: Snapshot): Promise<void> {
  const moment = await findMoment(view);
  if (isPartyFormat(format)) {
    await serveRows(moment, {
      keys: listPartyKeys(view, registers, sets),
      read: createPartyReader(view, registers),
      createWriter: async (file) => (await loadFormats())[format].createWriter(file, registers),
    });
  } else {
    await serveRows(moment, {
      keys: listKeys(view, selection),
      read: createBulkReader(view, moment.version, registers, counts),
      createWriter: async (file) => (await loadFormats())[format].createWriter(file, registers),
    });
  }
}

async function serveRows<Row>(moment: Moment, { keys, read, createWriter }: Rows<Row>): Promise<void> {
  const planned = planParts(keys, parts);
  await serveThread<ExportThread>({
    moment: () => moment,
    nextPart: async () => (await planned.next()).value,
    async write({ path, keys }) {
      const file = createPartFile(path);
      const writer = await createWriter(file);
      let rows = 0;
      for await (const records of read(keys)) {
        await writer.add(records);
        rows += records.length;
        if (rows < REPORTED_ROWS) continue;
        emit('rows', rows);
        rows = 0;
      }
      await writer.end();
      emit('rows', rows);
      return file.finish();
    },
  });
}
