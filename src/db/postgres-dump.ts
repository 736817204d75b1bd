import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { decodeCopy } from './copy.ts';
import type { DumpedRows, Value } from './db.ts';

/** The rows of a SELECT in the format of `Snapshot.dump`. COPY takes no parameters, so the values are part of its text. */
export async function* copyOut(client: pg.PoolClient, select: string, only?: DumpedRows): AsyncGenerator<Uint8Array> {
  const copy = (rows: string) => decodeCopy(client.query(copyTo(`COPY (${rows}) TO STDOUT`)));
  if (only === undefined) yield* copy(select);
  else {
    const { column, values } = only;
    for (let first = 0; first < values.length; first += COPIED_VALUES) {
      const listed = values.slice(first, first + COPIED_VALUES).map((value) => pg.escapeLiteral(value));
      yield* copy(`${select} WHERE ${column} IN (${listed.join(', ')})`);
    }
  }
}

/** The maximum number of values in the text of one statement. With ids as values, the text has 200 kB. */
const COPIED_VALUES = 5_000;

/** The rows of a SELECT in batches, from a cursor of the transaction. One at a time per connection. */
export async function* fetchRows(
  client: pg.PoolClient,
  select: string,
  params: readonly Value[] = [],
): AsyncGenerator<Value[][]> {
  await client.query(`DECLARE ${CURSOR} NO SCROLL CURSOR FOR ${select}`, [...params]);
  for (;;) {
    const { rows } = await client.query<Value[]>({ text: `FETCH ${FETCHED_ROWS} FROM ${CURSOR}`, rowMode: 'array' });
    if (rows.length === 0) break;
    yield rows;
  }
  await client.query(`CLOSE ${CURSOR}`);
}

const CURSOR = 'streamed_rows';
const FETCHED_ROWS = 1_000;
