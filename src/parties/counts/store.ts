import type { PartyModes } from '../../core/party-modes.ts';
import { listSetModes } from '../../core/party-modes.ts';
import type { Register } from '../../registers/contract.ts';
import { OWNER_ROLES } from '../roles.ts';
import { describeVisible } from '../store.ts';

/** What the counts of a register depend on. */
type CountedRegister = Pick<Register, 'id' | 'sources' | 'ownersApart' | 'keyLength'>;

/**
 * The SQL of a column of `entities e`: how many parties in force are named, as JSON. Null if no files of parties of the register are
 * imported, or if they are off. A register without parties costs one lookup in a table of a few rows.
 */
export function writePartyCounts(registers: readonly CountedRegister[], modes: PartyModes): string {
  const setModes = new Map(registers.map((register) => [register.id, listSetModes(modes, register)]));
  const isOff = ({ id }: CountedRegister) => Object.values(setModes.get(id) ?? {}).every((mode) => mode === 'off');
  const off = registers.filter(isOff);
  if (off.length === registers.length) return 'NULL';
  const shown = off.length === 0 ? '' : ` AND s.register NOT IN (${off.map(({ id }) => `'${id}'`).join(', ')})`;
  const cut = registers.flatMap(({ id, keyLength }) =>
    keyLength === undefined ? [] : [` WHEN '${id}' THEN substr(e.registration_number, 1, ${keyLength})`],
  );
  const company =
    cut.length === 0 ? 'e.registration_number' : `CASE e.register${cut.join('')} ELSE e.registration_number END`;
  // For a list in IN, SQLite would fill a table each time.
  const owners = `count(CASE p.role${Array.from(OWNER_ROLES, (role) => ` WHEN '${role}' THEN 1`).join('')} END)`;
  // A row with a number always names a party. Comparing the end of its content as well would make counting a fifth slower.
  const isParty = `CASE WHEN p.party_number IS NULL THEN p.content LIKE '%"absence":null}' ELSE TRUE END`;
  return `CASE WHEN EXISTS (SELECT 1 FROM party_sets s WHERE s.register = e.register${shown}) THEN
      (SELECT '{"owners":' || ${owners} || ',"others":' || (count(*) - ${owners}) || '}' FROM parties p
        WHERE p.company = ${company} AND p.register = e.register AND p.is_current = 1 AND ${isParty}
          AND ${describeVisible(setModes)}) END`;
}
