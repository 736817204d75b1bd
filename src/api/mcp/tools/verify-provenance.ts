import Type from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { ExcerptValue } from '../../../base/json/json-excerpt.ts';
import type { Proof } from '../../../import/proof/proof.ts';
import type { Proofs } from '../../../import/proof/proofs.ts';
import { isSupplied } from '../../../registry/records/provenance.ts';
import { boundValue, NOTICE, quote } from '../register-text.ts';
import { readSource, Source, Text, UuidArgument, writeSource } from '../shapes.ts';
import { defineTool } from '../tool.ts';

const MAX_FILES = 4_000;

export const provenanceTool = defineTool({
  name: 'verify_provenance',
  description:
    'Reads the official file again, if it is kept here, and compares every cell and field of a company. Also returns files with ' +
    'SHA-256, rows, addresses and licence.',
  input: { id: UuidArgument },
  waitMs: ({ proofs }) => proofs.maxCallMs,
  output: {
    outcome: Text,
    compared: Type.Integer(),
    differences: Type.Integer(),
    source: Source,
    sourceUrl: Text,
    publisher: Text,
    licence: Text,
    files: Type.Unsafe<readonly object[]>({ type: 'array', items: { type: 'object' } }),
    command: Text,
  },
  async run({ id: given }, { registry, proofs }, { accountId }) {
    const id = given.toLowerCase();
    const found = await registry.findExcerpt(id);
    if (found === undefined) throw fail('entity_not_found');
    const command = `firmament prove ${id}`;
    const result = summarize(await proofs.prove(id, accountId));
    if (result.outcome === 'busy') return describeBusy(result, command);
    const { provenance = null, canonicalName = '' } = found.content.value;
    const source = readSource(provenance);
    const origin = (provenance ?? {}) as Readonly<Record<string, ExcerptValue>>;
    const { sourceUrl = '', publisher = '', licence = '', files = [] } = origin;
    const writer = isSupplied(origin) ? 'Supplied by the operator of this service, in the format of' : 'Published by';
    const text = [
      NOTICE,
      `${quote(String(canonicalName))}: ${writeSource(source)}.`,
      `${writer} ${quote(String(publisher))} at ${quote(String(sourceUrl), 300)}, licence ${quote(String(licence), 300)}.`,
      describe(result),
      `To check it elsewhere: download the file, compare its SHA-256, and read the row; or run "${command} --file" with it.`,
    ].join('\n');
    return {
      data: {
        ...result,
        source,
        sourceUrl: String(sourceUrl),
        publisher: String(publisher),
        licence: String(licence),
        files: boundValue(files, '/provenance/files', MAX_FILES).value as unknown as readonly object[],
        command,
      },
      text,
    };
  },
});

/** This answer is free, and many calls at once can cause it, so it contains no data of the record. */
function describeBusy(result: Result, command: string) {
  const data = { ...result, source: null, sourceUrl: '', publisher: '', licence: '', files: [], command };
  return { data, text: describe(result), isEmpty: true };
}

interface Result {
  readonly outcome: Proof['outcome'] | 'busy' | 'too slow';
  /** The number of compared cells of the source and normalized fields. */
  readonly compared: number;
  readonly differences: number;
}

function summarize(proof: Awaited<ReturnType<Proofs['prove']>>): Result {
  // The record existed when the call started, so it was removed in the meantime.
  if (proof === undefined) throw fail('entity_not_found');
  if (typeof proof === 'string') return { outcome: proof, compared: 0, differences: 0 };
  const parts = [proof.cells, proof.fields].filter((part) => part !== null);
  const differences = parts.reduce((sum, { differ }) => sum + differ, 0);
  const compared = parts.reduce((sum, { agree }) => sum + agree, differences);
  return { outcome: proof.outcome, compared, differences };
}

function describe({ outcome, compared, differences }: Result): string {
  switch (outcome) {
    case 'proven':
      return `Proven just now: the kept file has its SHA-256, and all ${compared} cells and fields of the record are what it says.`;
    case 'different':
      return `Different: ${differences} of ${compared} cells and fields are not what the file says${differences === 0 ? ', but rows are missing in it' : ''}. Do not rely on this record, and report it to the operator.`;
    case 'altered':
      return 'Not proven: the copy of the file that is kept here has been altered, so it proves nothing.';
    case 'not kept':
      return 'Not proven: the file is not kept here.';
    case 'unverifiable':
      return 'Not proven: this version cannot find the rows in the file.';
    case 'busy':
      return 'Not proven yet: it is the turn of others. This call was free and keeps your place: call again.';
    case 'too slow':
      return 'Not proven: the file is too large to be read within the time of a call.';
  }
}
