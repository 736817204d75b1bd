import type { Parties, ShownParty } from '../parties/parties.ts';
import { boundField, quote } from './register-text.ts';
import type { ToolContext } from './tool.ts';

/** Who is connected with a company and what it owns, in the result of a tool. */
interface Ownership {
  readonly coverage: string;
  /** How many parties there are, and the first of them. */
  readonly total: number;
  readonly parties: readonly Party[];
  /** How many companies are directly below, and the first of them. */
  readonly holdingTotal: number;
  readonly holdings: readonly Holding[];
}

interface Party extends Pick<ShownParty, 'role' | 'kind' | 'interests' | 'from' | 'absence' | 'source'> {
  readonly id: string | null;
  readonly name: string | null;
  readonly number: string | null;
  readonly countryCode: string | null;
}

interface Holding {
  readonly id: string | null;
  readonly name: string | null;
  readonly number: string | null;
  readonly countryCode: string | null;
}

/** A list of this length is about 1,500 tokens. */
const MAX_LISTED = 10;

/** Null if the register publishes no parties, or if they are switched off. */
export async function readOwnership(
  parties: Pick<Parties, 'isShown' | 'list' | 'walk'>,
  { id, register }: { readonly id: string; readonly register: string },
  { accountId, deadline }: ToolContext,
): Promise<Ownership | null> {
  if (!parties.isShown(register)) return null;
  const list = await parties.list(id, {});
  const below = await parties.walk(id, 'holdings', 1, accountId, deadline);
  if (list === undefined || below === undefined) return null;
  const holdings = below.nodes.filter(({ depth }) => depth === 1);
  return {
    coverage: list.coverage,
    total: list.total,
    parties: list.parties.slice(0, MAX_LISTED).map(toParty),
    holdingTotal: holdings.length,
    holdings: holdings.slice(0, MAX_LISTED).map(toHolding),
  };
}

function toParty({ entityId, name, number, countryCode, ...party }: ShownParty): Party {
  const { role, kind, interests, from, absence, source } = party;
  return { role, id: entityId, ...bound({ name, number, countryCode }), kind, interests, from, absence, source };
}

function toHolding({
  entityId,
  name,
  number,
  countryCode,
}: { readonly entityId: string | null } & Omit<Holding, 'id'>) {
  return { id: entityId, ...bound({ name, number, countryCode }) };
}

function bound({ name, number, countryCode }: Omit<Holding, 'id'>) {
  return { name: boundField(name), number: boundField(number), countryCode };
}

export function writeOwnership(ownership: Ownership | null): string[] {
  if (ownership === null) return [];
  const { coverage, total, parties, holdingTotal, holdings } = ownership;
  if (coverage !== 'available') return ['Owners: the files are not imported here.'];
  const owners = parties.map(({ role, absence, ...party }) =>
    absence === null ? `${nameRole(role)}: ${writeName(party)}` : `${nameRole(role)}: none named, ${absence.reason}`,
  );
  const rest = total > parties.length ? [`${total} parties in total.`] : [];
  const below = holdings.map(writeName).join('; ');
  return [...owners, ...rest, `Holdings: ${holdingTotal}${below && `, such as ${below}`}`];
}

function writeName({ name, number, id }: Holding): string {
  return `${quote(name ?? number ?? 'not named')}${id === null ? '' : `, id ${id}`}`;
}

function nameRole(role: string): string {
  return role.replaceAll('_', ' ');
}
