/** Singapore: ACRA's corporate entities in 27 files by first letter, or the simpler datasets of entities with a UEN. */
import { defineRegister } from '../contract.ts';
import { COLUMNS, SIMPLE_COLUMNS } from './columns.ts';
import { fetch } from './fetch.ts';
import { mapEntity, mapSimple } from './map.ts';
import { checkNumber } from './number.ts';
import { readListed } from './registry.ts';

const CSV = { delimiter: ',', quote: '"', encoding: 'utf-8' } as const;

export const sg = defineRegister<null>({
  id: 'sg',
  country: 'SG',
  name: 'ACRA Information on Corporate Entities',
  nativeName: 'ACRA Information on Corporate Entities',
  publisher: 'Accounting and Corporate Regulatory Authority (ACRA)',
  licence: 'Singapore Open Data Licence 1.0',
  attribution: 'Contains information from ACRA, data.gov.sg, Singapore Open Data Licence 1.0',
  sourceUrl: 'https://data.gov.sg/datasets/d_3f960c10fed6145404ca7b821f263b87/view',
  updates: 'monthly',
  fetch,
  files: ["ACRA Information on Corporate Entities ('A').csv … ('Others').csv"],
  minimumRows: 1_500_000,
  numberColumns: ['uen'],
  sources: [
    {
      kind: 'table',
      name: 'corporate entities',
      csv: CSV,
      columns: COLUMNS,
      required: ['uen', 'entity_name', 'entity_status_description'],
      match: 'folded',
      map: mapEntity,
    },
    {
      kind: 'table',
      name: 'entities with UEN',
      csv: CSV,
      columns: SIMPLE_COLUMNS,
      required: ['uen', 'entity_name', 'uen_status_desc'],
      match: 'folded',
      map: mapSimple,
    },
  ],
  checkNumber,
  recordParties: readListed,
});
