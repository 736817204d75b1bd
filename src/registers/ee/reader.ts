/** Parsers for the general-data JSON that report an unreadable value with its path in the file. */
import type { MapContext } from '../contract.ts';
import { compact, readCount, readDate, type Tree, textOf } from '../parsing.ts';

export type AnnualReport = { readonly from?: string; readonly until?: string; readonly employees?: number };

const YES_NO: ReadonlyMap<string, boolean> = new Map([
  ['Jah', true],
  ['Ei', false],
]);
const AMOUNT = /^\d{1,15}(\.\d{1,6})?$/;
const CURRENCY = /^[A-Z]{3}$/;

export type Reader = ReturnType<typeof createReader>;

export function createReader(context: MapContext<null>) {
  function read<T>(value: string, parse: (value: string) => T | null, path: string, problem: string): T | null {
    if (value.trim() === '') return null;
    const parsed = parse(value.trim());
    if (parsed === null) context.report(`yldandmed.${path}`, value, problem);
    return parsed;
  }
  const day = (list: string, entry: Tree, key: string) =>
    read(textOf(entry, key), readDate, `${list}.${key}`, 'not a date');
  const readPeriod = (list: string, entry: Tree) => ({
    from: day(list, entry, 'algus_kpv'),
    until: day(list, entry, 'lopp_kpv'),
  });
  return {
    readPeriod,
    readYesNo: (details: Tree, key: string) =>
      read(textOf(details, key), (value) => YES_NO.get(value) ?? null, key, 'neither Jah nor Ei'),
    readCapital: (entry: Tree) =>
      compact({
        amount: read(
          textOf(entry, 'kapitali_suurus'),
          (value) => (AMOUNT.test(value) ? Number(value) : null),
          'kapitalid.kapitali_suurus',
          'not a number',
        ),
        currency: read(
          textOf(entry, 'kapitali_valuuta'),
          (value) => (CURRENCY.test(value) ? value : null),
          'kapitalid.kapitali_valuuta',
          'not a currency code',
        ),
        from: day('kapitalid', entry, 'algus_kpv'),
      }),
    readReport: (entry: Tree): AnnualReport => {
      const list = 'info_majandusaasta_aruannetest';
      return compact({
        from: day(list, entry, 'majandusaasta_perioodi_algus_kpv'),
        until: day(list, entry, 'majandusaasta_perioodi_lopp_kpv'),
        employees: read(textOf(entry, 'tootajate_arv'), readCount, `${list}.tootajate_arv`, 'not a whole number'),
      });
    },
  };
}
