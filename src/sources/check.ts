import { basename } from 'node:path';
import { FormatError } from '../formats/rows.ts';
import { describeUnexpected, HTML_PAGE } from '../formats/sniff.ts';
import { openPackage, readStart } from '../formats/unpack.ts';
import { openZip } from '../formats/zip.ts';

/** Returns why a downloaded file must not be kept, or null. `recognize` throws a FormatError if it is not one of the register. */
export async function checkFile(path: string, recognize: () => Promise<void>): Promise<string | null> {
  if (describeUnexpected(await readStart(path, 1_024)) === HTML_PAGE) {
    return `${basename(path)} is a web page, probably a login or error page, and not the file`;
  }
  try {
    await readThrough(path);
    await recognize();
    return null;
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

/** Unpacks an archive to its end: only then are a cut end, a wrong checksum and a zip bomb certain to be noticed. */
async function readThrough(path: string): Promise<void> {
  const { kind, files, close } = await openPackage(path);
  try {
    if (kind === 'zip' || kind === 'gzip') for (const file of files) await drain(file.open());
  } finally {
    await close();
  }
  if (kind !== 'xlsx') return;
  const zip = await openZip(path);
  try {
    for (const entry of zip.entries.values()) await drain(zip.read(entry));
  } finally {
    zip.close();
  }
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of chunks);
}
