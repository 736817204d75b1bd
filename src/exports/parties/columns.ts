import type { writeCsvRow } from '../../base/csv.ts';
import type { Share } from '../../registers/mapped.ts';
import type { BulkParty, ExportedParty } from '../../registry/parties/bulk/bulk.ts';
import { joinTexts } from '../csv.ts';
import type { ExportColumn } from '../folder.ts';
import { column, describeColumns } from '../parquet/columns.ts';
import type { Column, RowLayout } from '../parquet/group.ts';
import type { Shape } from '../parquet/shapes.ts';

/** The columns of parties, in Parquet and in CSV. Their names are the field names of the API. */

const share: Shape = { struct: { exact: 'number', min: 'number', max: 'number' } };

const key = (name: string, description: string): Column => ({
  ...column(name, 'text', description),
  bloomFilter: true,
});

const columns: readonly Column[] = [
  { ...column('id', 'text', 'Identifies the row of the file of parties. The same in every export.'), required: true },
  { ...column('register', 'text', 'Id of the register that publishes it.'), required: true },
  { ...key('companyNumber', 'Number of the company in this register.'), required: true },
  key('companyId', '`id` of the company, if its record is here.'),
  column('role', 'text', 'Role of the party, the same in all registers.'),
  column('roleText', 'text', 'The role as the source writes it.'),
  column('kind', 'text', '`organisation`, `person` or `unknown`.'),
  column('name', 'text', 'Name of the party, from the source, or else from its record.'),
  key('entityId', '`id` of the party, if its record is here.'),
  column('number', 'text', 'Number of the party, as the source writes it.'),
  column('countryCode', 'text', 'Country of the party (ISO 3166-1 alpha-2).'),
  column(
    'interests',
    { list: { struct: { type: 'text', share, heldAs: 'text' } } },
    'What the party holds of the company. Shares are in percent.',
  ),
  column('from', 'date', 'First day.'),
  column('until', 'date', 'Last day.'),
  column('current', 'boolean', 'Whether it is in force, according to the source.'),
  column('absence', { struct: { reason: 'text', text: 'text' } }, 'Why no party is named.'),
  column('source', { struct: { file: 'text', hash: 'text', row: 'integer' } }, 'The row that says so.'),
  column('sourceData', 'jsonText', 'JSON: every field of the row, as published.'),
];

export const partyRows: RowLayout<BulkParty> = {
  columns,
  shred(find) {
    const fields = columns.map((field) => [field.name, find(field)] as const);
    return ({ shown }, row) => {
      const sourceData = JSON.stringify(shown.sourceData);
      for (const [name, field] of fields) field.add(name === 'sourceData' ? sourceData : Reflect.get(shown, name), row);
      return sourceData.length;
    };
  },
};

export const partyRowSchema: readonly ExportColumn[] = describeColumns(columns);

type ReadCell = (party: ExportedParty) => unknown;

/** Columns of CSV without a counterpart in Parquet: they split a value into texts, because a cell of CSV is one text. */
const FLAT: Readonly<Record<string, readonly (readonly [name: string, description: string, read: ReadCell])[]>> = {
  interests: [
    ['interestTypes', 'What the party holds, separated by ` | `.', (party) => joinShown(party, ({ type }) => type)],
    ['shares', 'Its shares in percent, in the same order, such as `25-50`.', (party) => joinShown(party, showShare)],
    [
      'heldAs',
      'How it holds them if not in its own right, in the same order.',
      (party) => joinShown(party, ({ heldAs }) => heldAs ?? ''),
    ],
  ],
  absence: [
    ['absenceReason', 'Why no party is named.', ({ absence }) => absence?.reason],
    ['absenceText', 'The reason as the source writes it.', ({ absence }) => absence?.text],
  ],
  source: [
    ['file', 'File that the party was read from.', ({ source }) => source.file],
    ['hash', 'SHA-256 of that file.', ({ source }) => source.hash],
    ['row', 'Row in that file.', ({ source }) => source.row],
  ],
  sourceData: [],
};

const cells = columns.flatMap(
  ({ name, description }) => FLAT[name] ?? [[name, description, (party: ExportedParty) => Reflect.get(party, name)]],
) as readonly (readonly [string, string, ReadCell])[];

export const partyCellSchema: readonly ExportColumn[] = cells.map(([name, description]) => {
  return { name, type: 'text', description };
});

export function listPartyCells({ shown }: BulkParty): Parameters<typeof writeCsvRow>[0] {
  return cells.map(([, , read]) => {
    const value = read(shown);
    return value === null || value === undefined ? null : String(value);
  });
}

type Interest = ExportedParty['interests'][number];

function joinShown({ interests }: ExportedParty, show: (interest: Interest) => string): string | null {
  return joinTexts(interests.map(show));
}

function showShare({ share: given }: Interest): string {
  const { exact, min, max } = (given ?? {}) as Share;
  if (exact !== undefined) return String(exact);
  return min === undefined && max === undefined ? '' : `${min ?? 0}-${max ?? 100}`;
}
