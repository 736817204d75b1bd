import type { Snapshot } from '../base/db/db.ts';
import { openExistingStore, type StorePlace } from '../base/db/open.ts';
import { type Dataset, datasetOf, type ExportFormat, isPartyFormat } from '../base/export-formats.ts';
import { createEmitter, readThreadData, serveThread } from '../base/system/thread.ts';
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
  readonly rowsPerFile: number;
  /** The end of the file names. */
  readonly extension: string;
  /** Whether the thread writes files. The sorting thread does not load the formats, which take longer to load than everything else. */
  readonly isWriter: boolean;
}

export interface PartTask {
  readonly path: string;
  readonly keys: readonly RowKey[];
}

/** A file to write: entities of a country, or parties of a register, in order. */
export interface ExportPart {
  readonly path: string;
  readonly country: string;
  readonly keys: readonly RowKey[];
  /** The number of rows from each register. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Progress is reported every time this many rows are written. */
const REPORTED_ROWS = 2_048;

/** The key whose values have a folder each. The keys arrive in its order. */
const FOLDERS = { entities: 'country', parties: 'register' } as const satisfies Record<Dataset, keyof BulkKey>;

const data = readThreadData<ExportData>();
const { location, format, registers } = data;
const loadFormats = async () => (await import('./formats.ts')).formats;
if (data.isWriter) await loadFormats();
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
      keys: listPartyKeys(view, registers, data.sets),
      read: createPartyReader(view, registers),
      createWriter: async (file) => (await loadFormats())[format].createWriter(file, registers),
    });
  } else {
    await serveRows(moment, {
      keys: listKeys(view, data.selection),
      read: createBulkReader(view, moment.version, registers, data.counts),
      createWriter: async (file) => (await loadFormats())[format].createWriter(file, registers),
    });
  }
}

async function serveRows<Row>(moment: Moment, { keys, read, createWriter }: Rows<Row>): Promise<void> {
  const planned = planParts(keys);
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

/** Divides keys into files of at most `rowsPerFile` rows. */
async function* planParts(keys: AsyncIterable<readonly BulkKey[]>): AsyncGenerator<ExportPart, undefined> {
  const { rowsPerFile, extension } = data;
  const dataset = datasetOf(format);
  const folder = FOLDERS[dataset];
  let country = '';
  let current = '';
  let number = 0;
  let taken: RowKey[] = [];
  let rows = new Map<string, number>();
  const take = (): ExportPart => {
    const name = `part-${String(number).padStart(4, '0')}.${extension}`;
    const part = { path: `${dataset}/${folder}=${current}/${name}`, country, keys: taken, rows };
    number++;
    taken = [];
    rows = new Map();
    return part;
  };
  for await (const batch of keys) {
    for (const given of batch) {
      const { key, register, [folder]: next } = given;
      if (taken.length === rowsPerFile || (next !== current && taken.length > 0)) yield take();
      if (next !== current) {
        current = next;
        number = 0;
      }
      country = given.country;
      taken.push(key);
      rows.set(register, (rows.get(register) ?? 0) + 1);
    }
  }
  if (taken.length > 0) yield take();
}
