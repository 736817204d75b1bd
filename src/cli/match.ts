import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { writeCsvHeader } from '../base/csv.ts';
import { Failure } from '../base/errors.ts';
import { formatCount } from '../base/format-count.ts';
import { startDeadline } from '../base/system/deadline.ts';
import { type Command, CommandError, UsageError } from '../base/terminal/command.ts';
import { createDisplay, describeRows } from '../base/terminal/progress.ts';
import { printable } from '../base/terminal/table.ts';
import { FormatError } from '../formats/rows.ts';
import { type ListedQuery, matchEach } from '../search/match/batch.ts';
import {
  createRowReader,
  describeOutcome,
  findNameColumn,
  openList,
  RESULT_COLUMNS,
  writeRow,
} from '../search/match/list.ts';
import type { Matcher } from '../search/match/matching.ts';
import { readListedQuery } from '../search/match-parameters.ts';
import { open } from '../services/open.ts';
import { describeWriteFailure, requireFile, requireFreePath } from './arguments.ts';

export const command: Command = {
  arguments: '<file>',
  options: {
    out: { type: 'string', description: 'A new CSV file for the result (default: standard output).' },
    lines: { type: 'boolean', description: 'Each line is a name: the list has no header and no other columns.' },
  },
  help: `
Reads a CSV file with a header, in UTF-8, with commas, semicolons or tabs; "-" is standard input. Names are in the column "name", or
else in the first one. The columns country, registrationNumber, city, postcode, legalForm and registeredAt are used if the file has
them. The result has all columns of the file and adds ${RESULT_COLUMNS.join(', ')}. matchStatus is match, ambiguous (the company is
the best of several), none or error. matchScore is the probability that it is the right company.

It searches the store of DATA_DIR or DATABASE_URL, without a server and without a quota. The file of --out appears when it is
complete; a command that was stopped leaves nothing.`,
  examples: [
    ['match names.csv --out matched.csv', 'Match all rows of a spreadsheet.'],
    ['match names.txt --lines', 'Match one name per line, and print the result.'],
  ],
  async run({ positionals, values, signal }) {
    const [path] = positionals;
    if (path === undefined || positionals.length > 1) throw new UsageError('match needs one file with names.');
    if (path !== '-') requireFile(path);
    const out = typeof values.out === 'string' ? values.out : undefined;
    if (out !== undefined) requireFreePath(out, 'matched.csv');
    const counts = await runMatch(path, out, values.lines === true, signal);
    // The counts go to standard error, because standard output may be the result.
    process.stderr.write(counts.map(([name, value]) => `  ${name.padEnd(11)} ${value}\n`).join(''));
  },
};

const BATCH_SIZE = 100;
const BATCH_MS = 60_000;
const COMMAND = 'command';

type Count = readonly [name: string, value: string];

async function runMatch(path: string, out: string | undefined, lines: boolean, signal: AbortSignal): Promise<Count[]> {
  const input = path === '-' ? process.stdin : createReadStream(path);
  const totalBytes = path === '-' ? 0 : statSync(path).size;
  await using opened = open();
  const { services } = opened;
  using display = createDisplay();
  const counts = { match: 0, ambiguous: 0, none: 0, error: 0 };
  let started = performance.now();
  let rows = 0;

  async function* writeLines(): AsyncGenerator<string> {
    const { header, rows: batches } = await openList(input, lines ? 'lines' : 'table');
    const nameColumn = header[findNameColumn(header)] ?? '';
    if (nameColumn.toLowerCase() !== 'name') {
      display.note(`Names are taken from the column "${printable(nameColumn)}". If that is a company, use --lines.`);
    }
    const readQuery = createRowReader(header, readListedQuery);
    await services.requireSchema();
    await services.search.refresh();
    started = performance.now();
    yield writeCsvHeader([...header, ...RESULT_COLUMNS], header.length);
    for await (const batch of batches) {
      for (let at = 0; at < batch.length; at += BATCH_SIZE) {
        signal.throwIfAborted();
        const part = batch.slice(at, at + BATCH_SIZE);
        const results = await matchAll(services.matcher, part.map(readQuery));
        for (const [status] of results) counts[status as keyof typeof counts]++;
        rows += part.length;
        display.update(describeRows({ rows, bytes: input.bytesRead, totalBytes }));
        yield part.map((row, index) => writeRow(header, row, results[index] ?? [])).join('');
      }
    }
  }

  try {
    await (out === undefined ? printAll(writeLines()) : writeFile(out, writeLines()));
    // Loading the index does not count.
    const seconds = (performance.now() - started) / 1000;
    const listed = Object.entries({ rows, ...counts }).map(([name, count]): Count => [name, formatCount(count)]);
    return [...listed, ['speed', `${formatCount(Math.round(rows / seconds))} rows/s, ${seconds.toFixed(1)} s`]];
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped: nothing was written.');
    if (error instanceof FormatError) throw new CommandError(`${path} cannot be read: ${error.message}.`);
    throw error;
  } finally {
    input.destroy();
  }
}

async function matchAll(matcher: Matcher, queries: readonly ListedQuery[]): Promise<(string | null)[][]> {
  const requester = { account: COMMAND, deadline: startDeadline() + BATCH_MS };
  const { outcomes } = await matchEach(matcher, queries, requester);
  // Any other error is a bug, which the result would hide.
  for (const each of outcomes) if ('error' in each && !(each.error instanceof Failure)) throw each.error;
  return outcomes.map((outcome) => describeOutcome(outcome));
}

/** Writes the file under another name until it is complete. */
async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const partial = `${path}.partial`;
  try {
    await pipeline(texts, createWriteStream(partial));
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    describeWriteFailure(error);
  }
}

/** Ends without an error if the reader has closed the pipe, as `head` does. */
async function printAll(texts: AsyncIterable<string>): Promise<void> {
  await pipeline(texts, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
