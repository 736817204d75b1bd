/** The fields that the seat adds to a legal unit. The unit itself has no address. */
import type { Cell, MapContext } from '../contract.ts';
import { compact, readDay, readText } from '../parsing.ts';

export function describeSeat(row: Cell, context: MapContext<null>) {
  const text = (field: string) => readText(row(`${field}Etablissement`));
  return {
    address: readAddress(text, ''),
    seat: compact({
      state: text('etatAdministratif'),
      stateSince: readDay('dateDebut', row, context),
      createdAt: readDay('dateCreationEtablissement', row, context),
      signs: ['1', '2', '3'].map((rank) => text(`enseigne${rank}`)).filter((sign) => sign !== null),
      usualName: text('denominationUsuelle'),
      activity: compact({ code: text('activitePrincipale'), scheme: text('nomenclatureActivitePrincipale') }),
      tradesActivityCode: text('activitePrincipaleRegistreMetiers'),
      naf2025: text('activitePrincipaleNAF25'),
      employeesRangeCode: text('trancheEffectifs'),
      employer: readFlag(text('caractereEmployeur')),
      diffusion: text('statutDiffusion'),
      secondAddress: readAddress(text, '2'),
    }),
  };
}

function readAddress(text: (field: string) => string | null, second: '' | '2') {
  const part = (field: string) => text(`${field}${second}`);
  const line = [part('numeroVoie'), part('indiceRepetition'), part('typeVoie'), part('libelleVoie')];
  return compact({
    street: line.filter((piece) => piece !== null).join(' '),
    complement: part('complementAdresse'),
    postCode: part('codePostal'),
    city: part('libelleCommune') ?? part('libelleCommuneEtranger'),
    cityCode: part('codeCommune'),
    specialDistribution: part('distributionSpeciale'),
    cedexCode: part('codeCedex'),
    cedex: part('libelleCedex'),
    countryCode: part('codePaysEtranger'),
    country: part('libellePaysEtranger'),
  });
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
