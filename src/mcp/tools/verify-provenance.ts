import Type from 'typebox';
import { fail } from '../../core/errors.ts';
import type { ExcerptValue } from '../../core/json-excerpt.ts';
import type { Registry } from '../../registry/registry.ts';
import { boundValue } from '../bounded.ts';
import { NOTICE, quote } from '../register-text.ts';
import { readSource, Source, Text, UuidArgument, writeSource } from '../shapes.ts';
import { defineTool, type Tool } from '../tool.ts';

const MAX_FILES = 4_000;

export function createProvenanceTool(registry: Pick<Registry, 'findExcerpt'>): Tool {
  return defineTool({
    name: 'verify_provenance',
    description:
      'Returns what is needed to check a company against the official file: files with SHA-256, rows, addresses, licence, and the ' +
      'command that compares every cell. It does not read the file itself.',
    input: Type.Object({ id: UuidArgument }, { additionalProperties: false }),
    output: Type.Object({
      source: Source,
      sourceUrl: Text,
      publisher: Text,
      licence: Text,
      files: Type.Unsafe<readonly object[]>({ type: 'array', items: { type: 'object' } }),
      command: Text,
    }),
    async run({ id: given }) {
      const id = given.toLowerCase();
      const found = await registry.findExcerpt(id);
      if (found === undefined) throw fail('entity_not_found');
      const { provenance = null, canonicalName = '' } = found.content.value;
      const source = readSource(provenance);
      const {
        sourceUrl = '',
        publisher = '',
        licence = '',
        files = [],
      } = (provenance ?? {}) as Readonly<Record<string, ExcerptValue>>;
      const command = `firmament prove ${id}`;
      const text = [
        NOTICE,
        `${quote(String(canonicalName))}: ${writeSource(source)}.`,
        `Published by ${quote(String(publisher))} at ${quote(String(sourceUrl), 300)}, licence ${quote(String(licence), 300)}.`,
        `To check it: download the file, compare its SHA-256, and read the row; or run "${command}" where the data is kept.`,
      ].join('\n');
      return {
        data: {
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
}
