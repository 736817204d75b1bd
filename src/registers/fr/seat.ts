/** The fields that the seat adds to a legal unit. The unit itself has no address. */
import type { Cell, MapContext } from '../contract.ts';
import { compact, readDay, readText } from '../parsing.ts';
import { listSeatActivities } from './activities.ts';
import { readAddress } from './address.ts';
import { readEmployees } from './employees.ts';

const STATES: ReadonlyMap<string | null, string> = new Map([
  ['A', 'Actif'],
  ['F', 'Fermé'],
]);

export function describeSeat(row: Cell, siret: string | null, context: MapContext<null>) {
  const text = (field: string) => readText(row(`${field}Etablissement`));
  const second = readAddress(text, '2');
  const state = text('etatAdministratif');
  return {
    address: readAddress(text, ''),
    addresses: second === null ? [] : [{ type: 'other' as const, ...second }],
    establishments: [
      {
        isSeat: true,
        ...compact({
          number: siret,
          name: text('denominationUsuelle'),
          from: readDay('dateCreationEtablissement', row, context),
          status: compact({ code: state, label: STATES.get(state), since: readDay('dateDebut', row, context) }),
          signs: ['1', '2', '3'].map((rank) => text(`enseigne${rank}`)).filter((sign) => sign !== null),
          activities: listSeatActivities(text),
          tradesActivityCode: text('activitePrincipaleRegistreMetiers'),
          employees: readEmployees(text('trancheEffectifs'), null),
          employer: readFlag(text('caractereEmployeur')),
          diffusion: text('statutDiffusion'),
        }),
      },
    ],
  };
}

const FLAGS: ReadonlyMap<string | null, boolean> = new Map([
  ['O', true],
  ['true', true],
  ['N', false],
  ['false', false],
]);

/** Null if the value is missing, hidden or unknown. */
export function readFlag(text: string | null): boolean | null {
  return FLAGS.get(text) ?? null;
}
