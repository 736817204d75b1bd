/** A legal unit (company, association or sole trader) with the establishment that is its seat. */
import type {
  Activity,
  Cell,
  EntityStatus,
  JoinedRows,
  Json,
  MapContext,
  MappedRecord,
  Registration,
  Rejection,
} from '../contract.ts';
import { noRows } from '../contract.ts';
import { compact, lookUpStatus, readDay, readText, readWhole } from '../parsing.ts';
import { HIDDEN, omitHidden } from './hidden.ts';
import { LEGAL_FORMS } from './legal-forms.ts';
import { isLuhn } from './number.ts';
import { describeSeat, readFlag } from './seat.ts';

export const AUTHORITY = 'INSEE';
export const SEATS = 'StockEtablissement';

export function mapUnit(raw: Cell, context: MapContext<null>, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const cell = omitHidden(raw);
  const siren = readText(cell('siren'));
  const text = (field: string) => readText(cell(`${field}UniteLegale`));
  const nic = text('nicSiege');
  const seats = rows(SEATS);
  // More than one row may be marked as seat. The unit says which one is.
  const seat = seats.find((row) => row('nic').trim() === nic) ?? seats[0];
  const person = readPerson(text);
  const name = text('denomination') ?? writeName(person) ?? text('denominationUsuelle1') ?? text('sigle');
  const canonicalName = name ?? siren;
  if (canonicalName === null) return { rejected: 'neither SIREN nor name' };
  const registeredAt = readDay('dateCreationUniteLegale', cell, context);
  const rawStatus = text('etatAdministratif');
  const formCode = text('categorieJuridique');
  const seatSiret = nic === null || siren === null ? null : `${siren}${nic}`;
  return {
    number: siren,
    // A purged unit may have lost its name and a person's name may be hidden, but a record needs a name.
    canonicalName,
    status: lookUpStatus(STATUSES, STATE, raw(STATE).trim(), context),
    legalForm: formCode === null ? null : (LEGAL_FORMS.get(formCode) ?? formCode),
    registeredAt,
    registrations: listRegistrations({
      siren,
      seatSiret,
      association: text('identifiantAssociation'),
      rawStatus,
      registeredAt,
    }),
    activities: listActivities(text),
    registry: compact({
      numberValid: siren === null ? null : isLuhn(siren, 9),
      nameMissing: name === null ? true : null,
      legalFormCode: formCode,
      acronym: text('sigle'),
      usualNames: ['1', '2', '3'].map((rank) => text(`denominationUsuelle${rank}`)).filter((usual) => usual !== null),
      person,
      stateSince: readDay('dateDebut', cell, context),
      diffusion: text('statutDiffusion'),
      purged: cell('unitePurgeeUniteLegale').trim().toLowerCase() === 'true' ? true : null,
      mainActivity: compact({ code: text('activitePrincipale'), scheme: text('nomenclatureActivitePrincipale') }),
      naf2025: text('activitePrincipaleNAF25'),
      employees: compact({
        rangeCode: text('trancheEffectifs'),
        year: readWhole('anneeEffectifsUniteLegale', cell, context),
      }),
      category: compact({
        code: readText(cell('categorieEntreprise')),
        year: readWhole('anneeCategorieEntreprise', cell, context),
      }),
      employer: readFlag(text('caractereEmployeur')),
      socialEconomy: readFlag(text('economieSocialeSolidaire')),
      missionCompany: readFlag(text('societeMission')),
      periods: readWhole('nombrePeriodesUniteLegale', cell, context),
      lastProcessedAt: readDay('dateDernierTraitementUniteLegale', cell, context),
      seatSiret,
      seatSiretValid: seatSiret === null ? null : isLuhn(seatSiret, 14),
      ...(seat === undefined ? {} : describeSeat(omitHidden(seat), context)),
    }) as Readonly<Record<string, Json>>,
  };
}

/**
 * An API record keeps the fields that change over time in a list of periods. The current period is the one without an
 * end date, or else the first.
 */
export function mapApiUnit(record: { readonly [key: string]: Json }, context: MapContext<null>) {
  const periods = (Array.isArray(record.periodesUniteLegale) ? record.periodesUniteLegale : []) as {
    [key: string]: Json;
  }[];
  const current = periods.find(({ dateFin }) => dateFin === null || dateFin === undefined) ?? periods[0] ?? {};
  return mapUnit((column) => {
    const value = record[column] ?? current[column] ?? '';
    return typeof value === 'object' ? '' : String(value);
  }, context);
}

const STATE = 'etatAdministratifUniteLegale';
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['A', 'active'],
  ['C', 'dissolved'],
  // Looked up in the raw row, so that a hidden state is `unknown` without a report.
  [HIDDEN, 'unknown'],
]);

type Person = { [key: string]: string | string[] };

function readPerson(text: (field: string) => string | null): Person {
  return compact({
    firstNames: ['1', '2', '3', '4'].map((rank) => text(`prenom${rank}`)).filter((name) => name !== null),
    usualFirstName: text('prenomUsuel'),
    surname: text('nom'),
    usageName: text('nomUsage'),
    pseudonym: text('pseudonyme'),
    sex: text('sexe'),
  }) as Person;
}

/** The name that a person goes by: the usual first name, and the name in use or else the surname. */
function writeName({
  firstNames = [],
  usualFirstName = firstNames[0] ?? '',
  surname,
  usageName,
}: Person): string | null {
  return readText(`${usualFirstName} ${usageName ?? surname ?? ''}`);
}

interface Numbers {
  readonly siren: string | null;
  readonly seatSiret: string | null;
  readonly association: string | null;
  readonly rawStatus: string | null;
  readonly registeredAt: string | null;
}

function listRegistrations({ siren, seatSiret, association, rawStatus, registeredAt }: Numbers): Registration[] {
  const other = { status: null, registeredAt: null, endedAt: null };
  return [
    ...(siren === null
      ? []
      : [{ authority: AUTHORITY, type: 'national', number: siren, status: rawStatus, registeredAt, endedAt: null }]),
    ...(seatSiret === null ? [] : [{ authority: AUTHORITY, type: 'siret', number: seatSiret, ...other }]),
    ...(association === null ? [] : [{ authority: 'RNA', type: 'association', number: association, ...other }]),
  ];
}

function listActivities(text: (field: string) => string | null): Activity[] {
  const codes = [text('activitePrincipale'), text('activitePrincipaleNAF25')];
  return codes
    .filter((code) => code !== null)
    .filter((code, index, all) => all.indexOf(code) === index)
    .map((code) => ({ type: 'unlicensed', code, label: null }));
}
