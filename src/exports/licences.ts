import { isPartyFormat, type Manifest } from './manifest.ts';

/** LICENCES.md: who published the data, and under which terms. */
export function writeLicences({ format, registers, leftOut, generation, createdAt }: Manifest): string {
  const what = isPartyFormat(format) ? 'Parties' : 'Entities';
  const sections = registers.map(
    ({ register, publisher, licence, licenceKnown, attribution, asOf, rows }) => `## ${register}

- Publisher: ${publisher}
- Licence: ${licenceKnown ? licence : '**unknown**: ask the publisher before you pass this data on'}
- Attribution: ${attribution ?? 'none is required'}
- Data as of: ${asOf ?? 'not stated'}
- ${what}: ${rows}
`,
  );
  const missing =
    leftOut.length === 0
      ? ''
      : `\nNot in this export, because their licence is unknown: ${leftOut.join(', ')}. \`--include-unknown-licences\` includes them.\n`;
  return `# Licences

Generation ${generation}, exported ${createdAt}. The data of each register is under the terms of its publisher. Records with
\`provenance.synthetic\` are invented companies, and under no such terms.
${missing}
${sections.join('\n')}`;
}
