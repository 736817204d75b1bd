/**
 * The codes of persons with significant control. Their texts are those of Companies House (api-enumerations, Open Government Licence
 * v3.0); what a code means here is decided in the same two tables.
 */
import type { MappedParty } from '../contract.ts';
import { readRows } from '../data-files.ts';

type Interest = MappedParty['interests'][number];
type Reason = NonNullable<MappedParty['absence']>['reason'];

export const NATURES: ReadonlyMap<string, Interest> = new Map(
  readRows('gb/psc-natures.tsv').map(([code = '', type, min, max, heldAs]) => [
    code,
    {
      type: type as Interest['type'],
      share: min ? { min: Number(min), max: Number(max) } : null,
      ...(heldAs && { heldAs: heldAs as Interest['heldAs'] }),
    },
  ]),
);

export const STATEMENTS = new Map(
  readRows('gb/psc-statements.tsv').map(([code = '', reason]) => [code, reason as Reason]),
);
