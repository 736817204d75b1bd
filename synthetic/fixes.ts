/** What the table of a register cannot say about its generated rows. */

import { findCheckDigits } from '../src/registers/br/register.ts';
import type { Json } from '../src/registers/contract.ts';
import { isSiret } from '../src/registers/fr/register.ts';
import type { LoadedTable, Row } from './samples.ts';

type Fix = (cell: (column: string) => string) => Readonly<Record<string, string>>;

/** Check digits that follow from several columns. */
const FIXES: Readonly<Record<string, Readonly<Record<string, Fix>>>> = {
  br: {
    estabelecimentos: (cell) => ({
      cnpj_dv: findCheckDigits(cell('cnpj_basico') + cell('cnpj_ordem')) ?? cell('cnpj_dv'),
    }),
  },
  fr: {
    StockUniteLegale: (cell) => ({ nicSiegeUniteLegale: completeNic(cell('siren'), cell('nicSiegeUniteLegale')) }),
    StockEtablissement(cell) {
      const nic = completeNic(cell('siren'), cell('nic'));
      return { nic, siret: cell('siren') + nic };
    },
  },
};

function completeNic(siren: string, nic: string): string {
  const last = [...'0123456789'].find((digit) => isSiret(siren + nic.slice(0, -1) + digit));
  return last === undefined ? nic : nic.slice(0, -1) + last;
}

export function fixCheckDigits(register: string, { table, header }: LoadedTable, row: Row): Row {
  const fixed = FIXES[register]?.[table]?.((column) => row[header.indexOf(column)] ?? '');
  return fixed === undefined ? row : row.map((cell, at) => fixed[header[at] ?? ''] ?? cell);
}

/** The last record of the persons with significant control (gb) counts all others. */
export function fixTotals(record: Json, listRecords: () => Iterable<Json>): Json {
  const { data } = record as { readonly data?: { readonly [key: string]: Json } };
  if (data?.persons_of_significant_control_count === undefined) return record;
  const counts = { persons: 0, statements: 0, exemptions: 0 };
  for (const other of listRecords()) {
    const { kind } = (other as { readonly data: { readonly kind: string } }).data;
    counts[kind === 'exemptions' ? kind : kind.endsWith('-statement') ? 'statements' : 'persons']++;
  }
  return {
    data: {
      ...data,
      persons_of_significant_control_count: counts.persons,
      statements_count: counts.statements,
      exemptions_count: counts.exemptions,
    },
  };
}
