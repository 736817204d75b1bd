/** A record of the API keeps the fields that change over time in a list of periods, which the files do not have. */
import type { Json, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDayOf, type Tree, textOf, treesOf } from '../parsing.ts';
import type { RegistryOf } from '../vocabulary.ts';
import { HIDDEN } from './hidden.ts';
import { mapUnit } from './map.ts';

type Context = MapContext<null>;

interface Period {
  readonly tree: Tree;
  readonly from: string | null;
  /** The last day; null for the current period. */
  readonly until: string | null;
}

/** The current period is the one without an end date, or else the latest. */
export function mapApiUnit(record: { readonly [key: string]: Json }, context: Context): MappedRecord | Rejection {
  const periods = listPeriods(record, context);
  const current = periods[0]?.tree ?? {};
  const unit = mapUnit((column) => textOf(record, column) || textOf(current, column), context);
  if ('rejected' in unit) return unit;
  const endedAt = unit.status === 'dissolved' ? findEnd(periods) : null;
  const [own, ...others] = unit.registrations;
  return {
    ...unit,
    registrations: own === undefined ? [] : [{ ...own, endedAt }, ...others],
    registry: {
      ...unit.registry,
      ...compact({ endedAt, previousNames: listPreviousNames(periods, unit.canonicalName) }),
    },
  };
}

/** The latest first. */
function listPeriods(record: Tree, context: Context): Period[] {
  const periods = treesOf(record, 'periodesUniteLegale').map((tree) => ({
    tree,
    from: readDayOf(tree, 'dateDebut', context),
    until: readDayOf(tree, 'dateFin', context),
  }));
  return periods.sort((one, other) => compare(other.until ?? LAST, one.until ?? LAST));
}

const LAST = '9999-12-31';

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A unit ended on the first day of the periods in which it is ceased, up to the current one. */
function findEnd(periods: readonly Period[]): string | null {
  const open = periods.findIndex(({ tree }) => textOf(tree, 'etatAdministratifUniteLegale') !== 'C');
  return periods[(open < 0 ? periods.length : open) - 1]?.from ?? null;
}

/** Periods with the same name that follow each other are one. Names of persons are not listed. */
function listPreviousNames(periods: readonly Period[], currentName: string): NonNullable<RegistryOf['previousNames']> {
  const names: { name: string; from: string | null; until: string | null }[] = [];
  for (const { tree, from, until } of periods) {
    const name = textOf(tree, 'denominationUniteLegale');
    const last = names.at(-1);
    if (last?.name === name) last.from = from;
    else if (name !== '' && name !== HIDDEN) names.push({ name, from, until });
  }
  const previous = names.filter(({ name, until }) => until !== null && name !== currentName);
  return previous.map(({ name, from, until }) => ({ name, ...compact({ from, until }) }));
}
