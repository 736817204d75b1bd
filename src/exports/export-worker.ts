import type { Snapshot } from '../base/db/db.ts';
import { openExistingStore, type StorePlace } from '../base/db/open.ts';
import { datasetOf, type ExportFormat, isPartyFormat } from '../base/export-formats.ts';
import { createEmitter, readThreadData, serveThread } from '../base/system/thread.ts';
import {
  countryOfParties,
  createBulkPartyReader,
  type SelectedSet,
  streamPartyKeys,
} from '../registry/parties/bulk/bulk.ts';
import * as records from '../registry/records/bulk/bulk.ts';
import { createPartFile, type PartWriter, type WrittenPart } from './part-file.ts';

/** A thread of an export. The thread reads its own snapshot, and either sorts the keys or writes files, one at a time. */
export interface ExportThread {
  moment(): records.Moment;
  /** The next file to write; undefined after the last file. On SQLite, sorting blocks the thread. */
  nextPart(): Promise<ExportPart | undefined>;
  write(path: string, keys: readonly records.RowKey[]): Promise<WrittenPart>;
}

export interface ExportEvents {
  rows(rows: number): void;
}

export interface ExportData {
  readonly location: StorePlace;
  readonly format: ExportFormat;
  readonly registers: readonly records.BulkRegister[];
  readonly selection: records.Selection;
  readonly sets: readonly SelectedSet[];
  readonly counts: string;
  readonly rowsPerFile: number;
  readonly extension: string;
  /** Whether the thread writes files. The sorting thread does not load the formats, which take longer to load than everything else. */
  readonly isWriter: boolean;
}

/** A file to write: entities of a country, or parties of a register, in order. */
export interface ExportPart {
  readonly path: string;
  readonly country: string;
  readonly keys: readonly records.RowKey[];
  readonly rows: ReadonlyMap<string, number>;
}

/** Many keys per statement make a lookup cheaper. More than this saves nothing. */
const LOOKUP_SIZE = 64;
/** Progress is reported every time this many rows are written. */
const REPORTED_ROWS = 32 * LOOKUP_SIZE;

const { location, format, registers, sets, selection, counts, rowsPerFile, extension, isWriter } =
  readThreadData<ExportData>();
const loadFormats = async () => (await import('./formats.ts')).formats;
if (isWriter) await loadFormats();
const emit = createEmitter<ExportEvents>();
const db = openExistingStore('registry', { ...location, poolSize: 1 });
try {
  await db.snapshot(serve);
} finally {
  await db.close();
}

async function serve(view: Snapshot): Promise<void> {
  const moment = await records.findMoment(view);
  const isOfParties = isPartyFormat(format);
  const planned = planParts(isOfParties ? streamPartyKeys(view, sets) : records.streamKeys(view, selection));
  const read: (keys: readonly records.RowKey[]) => Promise<readonly unknown[]> = isOfParties
    ? createBulkPartyReader(view, registers)
    : records.createBulkReader(view, moment.version, registers, counts);
  await serveThread<ExportThread>({
    moment: () => moment,
    nextPart: async () => (await planned.next()).value,
    async write(path, keys) {
      const file = createPartFile(path);
      // The writer of a format takes the rows that the reader returns.
      const writer: PartWriter<unknown> = (await loadFormats())[format].createWriter(file, registers);
      for (let first = 0; first < keys.length; first += LOOKUP_SIZE) {
        await writer.add(await read(keys.slice(first, first + LOOKUP_SIZE)));
        if (first > 0 && first % REPORTED_ROWS === 0) emit('rows', REPORTED_ROWS);
      }
      await writer.end();
      emit('rows', keys.length % REPORTED_ROWS || REPORTED_ROWS);
      return file.finish();
    },
  });
}

/** Divides keys into files of at most `rowsPerFile` rows. */
async function* planParts(keys: AsyncIterable<readonly records.BulkKey[]>): AsyncGenerator<ExportPart, undefined> {
  const dataset = datasetOf(format);
  const countries = new Map(registers.map((register) => [register.id, countryOfParties(register)]));
  const place = dataset === 'entities' ? 'country' : 'register';
  let current = '';
  let number = 0;
  let taken: records.RowKey[] = [];
  let rows = new Map<string, number>();
  const take = (): ExportPart => {
    const name = `part-${String(number).padStart(4, '0')}.${extension}`;
    const country = dataset === 'entities' ? current : (countries.get(current) ?? '');
    const part = { path: `${dataset}/${place}=${current}/${name}`, country, keys: taken, rows };
    number++;
    taken = [];
    rows = new Map();
    return part;
  };
  for await (const batch of keys) {
    for (const [key, folder, register] of batch) {
      if (taken.length === rowsPerFile || (folder !== current && taken.length > 0)) yield take();
      if (folder !== current) {
        current = folder;
        number = 0;
      }
      taken.push(key);
      rows.set(register, (rows.get(register) ?? 0) + 1);
    }
  }
  if (taken.length > 0) yield take();
}
