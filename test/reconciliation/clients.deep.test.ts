import assert from 'node:assert/strict';
import { request as startRequest } from 'node:http';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type TestLink, useReconcile } from './reconcile-service.ts';

/**
 * What OpenRefine 3.6.2 sends, recorded from the running program: one request at a time, ten queries each, members in a fixed order, no
 * Accept and no Origin.
 */
const HEADERS = {
  'Accept-Encoding': 'gzip, x-gzip, deflate',
  'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8',
  Connection: 'keep-alive',
  'User-Agent': 'OpenRefine/3.6.2 [62de008]',
};
const BATCH = 10;

/** Java encodes forms like this: blanks as "+", and * - . _ as they are. */
function encodeForm(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);
}

function writeQuery(query: string, country: string): string {
  const properties = `"properties":[{"pid":"country","v":${JSON.stringify(country)}}]`;
  return `{"query":${JSON.stringify(query)},"type":"company",${properties},"limit":3,"type_strict":"should"}`;
}

function writeBatch(names: readonly string[]): string {
  const queries = names.map((name, at) => `"q${at}":${writeQuery(name, 'GB')}`);
  return `queries=${encodeForm(`{${queries.join(',')}}`)}`;
}

interface Heard {
  readonly status: number;
  readonly body: Record<string, { result: { id: string; name: string; score: number; match: boolean }[] }>;
}

describe('the traffic of OpenRefine', () => {
  const reconcile = useReconcile('sqlite');

  function send(path: string, body: string): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const headers = { ...HEADERS, 'Content-Length': Buffer.byteLength(body) };
      const request = startRequest(reconcile.service.url + path, { method: 'POST', headers }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part) => parts.push(part));
        response.on('end', () => {
          const bytes = Buffer.concat(parts);
          const text = response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
          const { statusCode: status = 0 } = response;
          resolve({ status, body: JSON.parse(text.toString()) });
        });
      });
      request.once('error', reject).end(body);
    });
  }

  async function matchColumn({ path }: TestLink, names: readonly string[]): Promise<string[]> {
    const cells: string[] = [];
    for (let from = 0; from < names.length; from += BATCH) {
      const heard = await send(path, writeBatch(names.slice(from, from + BATCH)));
      assert.equal(heard.status, 200, `rows from ${from}: ${JSON.stringify(heard.body)}`);
      for (const { result } of Object.values(heard.body)) {
        const [first] = result.toSorted((a, b) => b.score - a.score);
        cells.push(first?.match === true ? `matched ${first.name}` : `${result.length} candidates`);
      }
    }
    return cells;
  }

  const COLUMN = [
    'alpha',
    'Beta',
    'BETA TWO',
    'nothing',
    'Ünïcødé & Söhne + 100%',
    '" \\ \u2028 </script>',
    'ALPHA holdings',
  ];
  const EXPECTED = [
    'matched ALPHA HOLDINGS LTD',
    '2 candidates',
    'matched BETA TWO LTD',
    '0 candidates',
    '0 candidates',
    '0 candidates',
    'matched ALPHA HOLDINGS LTD',
  ];

  test('a column of 700 rows in batches of ten: every cell is right, whatever the name', async () => {
    const link = await reconcile.newLink();
    const rows = Array.from({ length: 700 }, (_, at) => at % COLUMN.length);
    const cells = await matchColumn(
      link,
      rows.map((at) => COLUMN[at] ?? ''),
    );
    assert.deepEqual(
      cells,
      rows.map((at) => EXPECTED[at]),
    );
    assert.equal(await reconcile.usedBy(link), 700);
    assert.ok(reconcile.seen.every(({ country, limit }) => country === 'GB' && limit === 3));
  });
});
