import { basename, join } from 'node:path';
import { isUuid } from '../core/ids.ts';
import { registers } from '../registers/index.ts';
import { type Command, CommandError, UsageError } from '../terminal/command.ts';
import { printable, printableJson } from '../terminal/printable.ts';
import { createFileDisplay } from '../terminal/progress.ts';
import type { Proof, ProofOutcome } from '../updating/proof.ts';
import { type ProofProgress, proveRecord } from '../updating/prove.ts';
import { requireFile } from './input/file-argument.ts';
import { open } from './open.ts';
import { renderProof } from './output/proof-report.ts';

export const prove: Command = {
  name: 'prove',
  arguments: '<entity-id>',
  options: {
    file: { type: 'list', description: 'An original that "firmament fetch" did not keep. Name as many as needed.' },
    json: { type: 'boolean', description: 'Print the result as JSON.' },
  },
  help: `
Finds the files that the record was read from, by the hashes in its provenance: among those that "firmament fetch" keeps
in DATA_DIR/sources, those that the demo keeps in DATA_DIR/samples, and those named with --file. Hashes them again, reads the rows of the record again, and compares every
source cell and every normalized field with the store.

Exit code 0: proven. 1: something differs, a file was altered, or the record cannot be checked. 2: wrong usage. 3: nothing
differs, but an original is no longer kept; the result says where to get it.`,
  examples: [
    ['prove 0b8f3c52-6a0e-5d0c-9a43-2f6c1f2f7d11', 'Compare a record with the files that were fetched.'],
    ['prove 0b8f3c52-6a0e-5d0c-9a43-2f6c1f2f7d11 --file register.csv', 'Compare it with a file of your own.'],
  ],
  async run({ values, lists, positionals, signal }) {
    // "--file a.csv b.csv" is one option and an argument.
    const [id, ...others] = positionals;
    if (id === undefined) throw new UsageError('prove needs the id of a record.');
    const { file: files = [] } = lists;
    if (others.length > 0 && files.length === 0) throw new UsageError('prove takes one id. Name files with --file.');
    const given = [...files, ...others];
    if (!isUuid(id)) {
      throw new CommandError(
        `"${id}" is not the id of a record: ids are UUIDs, as in the "id" of API replies and in page addresses.`,
      );
    }
    for (const path of given) requireFile(path);
    const proof = await runProof(id.toLowerCase(), given, signal);
    process.stdout.write(values.json ? printableJson(proof) : renderProof(proof));
    if (proof.outcome !== 'proven') throw new CommandError(printable(proof.message), EXIT_CODES[proof.outcome]);
  },
};

const EXIT_CODES: Readonly<Record<Exclude<ProofOutcome, 'proven'>, number>> = {
  different: 1,
  altered: 1,
  unverifiable: 1,
  'not kept': 3,
};

async function runProof(id: string, given: readonly string[], signal: AbortSignal): Promise<Proof> {
  await using opened = open();
  const { services, config } = opened;
  using display = createFileDisplay();
  const onProgress = ({ step, file, bytes, totalBytes }: ProofProgress) => {
    const text = printable(`${step === 'hashing' ? 'Hashing' : 'Reading'} ${basename(file)}`);
    display.update({ text, bytes, totalBytes });
  };
  try {
    await services.requireSchema();
    const folder = join(config.dataDir, 'sources');
    const samples = join(config.dataDir, 'samples');
    const options = { db: services.registryDb, registers, folder, samples, given, onProgress, signal };
    const proof = await proveRecord(id, options);
    if (proof !== undefined) return proof;
    throw new CommandError(`There is no record with the id ${id}: check the id, and DATA_DIR or DATABASE_URL.`);
  } catch (error) {
    if (signal.aborted) throw new CommandError('Stopped.');
    throw error;
  }
}
