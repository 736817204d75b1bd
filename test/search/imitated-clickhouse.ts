import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ClickhousePlace } from '../../src/search/clickhouse/connection.ts';
import { columnNames } from '../../src/search/clickhouse/schema.ts';

type Row = readonly unknown[];
const [ID, PUBLICATION, SIGN] = ['id', 'publication', 'sign'].map((name) => columnNames.indexOf(name)) as [
  number,
  number,
  number,
];

/** An error as ClickHouse sends it, or what happens to the connection instead. */
export type Misbehaviour = { readonly code: number; readonly message: string } | 'hang up' | 'hang';

export interface ImitatedClickhouse extends AsyncDisposable {
  place(database: string): ClickhousePlace;
  readonly tables: Map<string, Row[]>;
  /** All statements, the oldest first. */
  readonly statements: string[];
  version: string;
  /** Called with each statement, before it is run. */
  misbehave: (sql: string) => Misbehaviour | undefined;
  /** The entities that a search of this publication would find, each as often as it is there. */
  list(build: number, publication: number, skipped: readonly number[]): string[];
}

/**
 * A server that keeps rows and answers the statements of a publication, as one node of ClickHouse does: for tests of connections and
 * errors. It cannot search: `npm run test:scale` does that on real nodes.
 */
export async function imitateClickhouse(tls?: { key: string; cert: string }): Promise<ImitatedClickhouse> {
  const tables = new Map<string, Row[]>();
  const server = tls === undefined ? createServer(answer) : createSecureServer(tls, answer);
  await once(server.listen(0, 'localhost'), 'listening');

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const inserted = new URL(request.url ?? '', 'http://node').searchParams.get('query');
    const sql = inserted ?? body;
    node.statements.push(sql);
    const wrong = node.misbehave(sql);
    if (wrong === 'hang') return;
    if (wrong === 'hang up') return void response.destroy();
    if (wrong !== undefined) return sendError(response, wrong.code, wrong.message);
    try {
      response.end(
        run(sql, inserted === null ? '' : body)
          .map((row) => `${JSON.stringify(row)}\n`)
          .join(''),
      );
    } catch (error) {
      sendError(response, 60, String(error));
    }
  }

  function open(name = ''): Row[] {
    const rows = tables.get(name);
    if (rows === undefined) throw new Error(`Unknown table ${name}`);
    return rows;
  }

  /** By entity: how often it is there, and its last values. */
  function group(rows: readonly Row[], publication: number, skipped: readonly number[]): Map<string, [number, Row]> {
    const found = new Map<string, [number, Row]>();
    const isSeen = (row: Row) => Number(row[PUBLICATION]) <= publication && !skipped.includes(Number(row[PUBLICATION]));
    for (const row of rows.filter(isSeen)) {
      const [sum, values] = found.get(String(row[ID])) ?? [0, row];
      found.set(String(row[ID]), [sum + Number(row[SIGN]), row[SIGN] === 1 ? row : values]);
    }
    return found;
  }

  function run(sql: string, body: string): Row[] {
    const table = /(entities_v\d+_\d+)\b/.exec(sql)?.[1];
    const numbers = (pattern: RegExp) => pattern.exec(sql)?.[1]?.split(', ').map(Number) ?? [];
    if (sql.endsWith('FORMAT TabSeparated')) return [[node.version]];
    if (sql.startsWith('SELECT toUInt8')) return [[0, 0]];
    if (/^SELECT version\(\)/.test(sql)) return [[node.version, table === undefined ? 0 : open(table).length]];
    if (sql.startsWith('CREATE DATABASE')) return [];
    if (sql.startsWith('CREATE TABLE')) tables.set(String(table), []);
    if (sql.startsWith('DROP TABLE')) tables.delete(String(table));
    if (/^(?:CREATE|DROP) TABLE/.test(sql)) return [];
    if (sql.startsWith('SELECT name FROM tables')) return [...tables.keys()].map((name) => [name]);
    if (sql.startsWith('INSERT')) {
      for (const line of body.split('\n')) if (line !== '') open(table).push(JSON.parse(line));
      return [];
    }
    if (/^SELECT count\(\), sum\(sign\)/.test(sql)) {
      const [publication] = numbers(/publication = (\d+)/);
      const rows = open(table).filter((row) => row[PUBLICATION] === publication);
      return [[rows.length, rows.reduce((sum, row) => sum + Number(row[SIGN]), 0)]];
    }
    if (/^\s*SELECT sum\(sign\), argMaxIf/.test(sql)) {
      const [publication = 0] = numbers(/publication <= (\d+)/);
      const ids =
        /\bid IN \(([^)]*)\)/
          .exec(sql)?.[1]
          ?.split(', ')
          .map((id) => id.slice(1, -1)) ?? [];
      const found = group(open(table), publication, numbers(/publication NOT IN \(([^)]*)\)/));
      return ids.flatMap((id) => {
        const [sum, values] = found.get(id) ?? [];
        return values === undefined ? [] : [[sum, values.slice(0, -2)]];
      });
    }
    throw new Error(`this imitation does not know: ${sql}`);
  }

  const { port } = server.address() as AddressInfo;
  const node: ImitatedClickhouse = {
    place: (database) => ({
      ...{ hosts: [`${tls === undefined ? 'http' : 'https'}://localhost:${port}`], database },
      ...{ user: 'firmament', password: 'hunter2' },
    }),
    tables,
    statements: [],
    version: '26.7.3.1',
    misbehave: () => undefined,
    list(build, publication, skipped) {
      const table = [...tables.keys()].find((name) => name.endsWith(`_${build}`));
      return [...group(open(table), publication, skipped)].flatMap(([id, [sum]]) =>
        Array<string>(Math.abs(sum)).fill(id),
      );
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
  return node;
}

function sendError(response: ServerResponse, code: number, message: string): void {
  response.writeHead(500, { 'x-clickhouse-exception-code': String(code) });
  response.end(`Code: ${code}. DB::Exception: ${message}`);
}
