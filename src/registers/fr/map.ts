/** A legal unit (company, association or sole trader) with the establishment that is its seat. */
import type { Cell, EntityStatus, JoinedRows, MapContext, MappedRecord, Registration, Rejection } from '../contract.ts';
import { NO_DETAILS, noRows } from '../contract.ts';
import { compact, lookUpStatus, readCodeList, readDay, readText, readWhole } from '../parsing.ts';
import type { LegalFormOf } from '../vocabulary.ts';
import { listActivities } from './activities.ts';
import { readEmployees } from './employees.ts';
import { HIDDEN, omitHidden } from './hidden.ts';
import { isLuhn } from './number.ts';
import { listOtherNames, readPerson, writeName } from './person.ts';
import { describeSeat, readFlag } from './seat.ts';

export const AUTHORITY = 'INSEE';
export const SEATS = 'StockEtablissement';

type Context = MapContext<null>;
type Text = (column: string) => string | null;

export function mapUnit(raw: Cell, context: Context, rows: JoinedRows = noRows): MappedRecord | Rejection {
  const cell = omitHidden(raw);
  const text: Text = (column) => readText(cell(column));
  const siren = text('siren');
  const nic = text('nicSiegeUniteLegale');
  const seats = rows(SEATS);
  // More than one row may be marked as seat. The unit says which one is.
  const seat = seats.find((row) => row('nic').trim() === nic) ?? seats[0];
  const person = readPerson(text);
  const name =
    text('denominationUniteLegale') ??
    writeName(person) ??
    text('denominationUsuelle1UniteLegale') ??
    text('sigleUniteLegale');
  const canonicalName = name ?? siren;
  if (canonicalName === null) return { rejected: 'neither SIREN nor name' };
  const registeredAt = readCreation(cell, context);
  const seatSiret = nic === null || siren === null ? null : `${siren}${nic}`;
  const state = text(STATE);
  const stateLabel = STATE_LABELS.get(state) ?? null;
  return {
    number: siren,
    // A purged unit may have lost its name and a person's name may be hidden, but a record needs a name.
    canonicalName,
    status: lookUpStatus(STATUSES, STATE, raw(STATE).trim(), context),
    legalForm: readLegalForm(text, context),
    registeredAt,
    registrations: listRegistrations(siren, seatSiret, text, registeredAt),
    activities: listActivities(text, context),
    registry: compact({
      nameMissing: name === null ? (true as const) : null,
      status: compact({ code: state, label: stateLabel }),
      otherNames: listOtherNames(text, canonicalName),
      person,
      stateSince: readDay('dateDebut', cell, context),
      diffusion: text('statutDiffusionUniteLegale'),
      purged: cell('unitePurgeeUniteLegale').trim().toLowerCase() === 'true' ? true : null,
      employees: readEmployees(
        text('trancheEffectifsUniteLegale'),
        readWhole('anneeEffectifsUniteLegale', cell, context),
      ),
      size: readSize(text, cell, context),
      employer: readFlag(text('caractereEmployeurUniteLegale')),
      socialEconomy: readFlag(text('economieSocialeSolidaireUniteLegale')),
      missionCompany: readFlag(text('societeMissionUniteLegale')),
      periods: readWhole('nombrePeriodesUniteLegale', cell, context),
      lastProcessedAt: readDay('dateDernierTraitementUniteLegale', cell, context),
      ...(seat === undefined ? {} : describeSeat(omitHidden(seat), seatSiret, context)),
    }),
  };
}

const CREATION = 'dateCreationUniteLegale';
/** INSEE writes this day for units whose day of creation is not known. */
const UNKNOWN_DAY = '1900-01-01';

function readCreation(cell: Cell, context: Context): string | null {
  const day = readDay(CREATION, cell, context);
  if (day !== UNKNOWN_DAY) return day;
  context.reportUnknown('date', CREATION, day);
  return null;
}

const STATE = 'etatAdministratifUniteLegale';
const STATUSES: ReadonlyMap<string, EntityStatus> = new Map([
  ['A', 'active'],
  ['C', 'dissolved'],
  // Looked up in the raw row, so that a hidden state is `unknown` without a report.
  [HIDDEN, 'unknown'],
]);
const STATE_LABELS: ReadonlyMap<string | null, string> = new Map([
  ['A', 'Active'],
  ['C', 'Cessée'],
]);

const FORM = 'categorieJuridiqueUniteLegale';
const SCHEME = 'INSEE catégories juridiques';
/** INSEE's nomenclature of legal categories (catégories juridiques), third level, and 5498, which older units have. */
const LEGAL_FORMS: ReadonlyMap<string, LegalFormOf> = new Map(
  readCodeList(new URL('legal-forms.tsv', import.meta.url)).map(([code, label]) => [
    code,
    { code, label, scheme: SCHEME },
  ]),
);

function readLegalForm(text: Text, context: Context): LegalFormOf | null {
  const code = text(FORM);
  if (code === null) return null;
  const form = LEGAL_FORMS.get(code);
  if (form !== undefined) return form;
  context.reportUnknown('legalForm', FORM, code);
  return { code, scheme: SCHEME };
}

const SIZES: ReadonlyMap<string | null, string> = new Map([
  ['PME', 'Petite ou moyenne entreprise'],
  ['ETI', 'Entreprise de taille intermédiaire'],
  ['GE', 'Grande entreprise'],
]);

function readSize(text: Text, cell: Cell, context: Context) {
  const code = text('categorieEntreprise');
  return compact({ code, label: SIZES.get(code), year: readWhole('anneeCategorieEntreprise', cell, context) });
}

function listRegistrations(
  siren: string | null,
  seatSiret: string | null,
  text: Text,
  registeredAt: string | null,
): Registration[] {
  const registrations: Registration[] = [];
  if (siren !== null) {
    const state = text(STATE);
    registrations.push({
      authority: AUTHORITY,
      type: 'national',
      number: siren,
      numberValid: isLuhn(siren, 9),
      status: STATE_LABELS.get(state) ?? null,
      ...(state !== null && { statusCode: state }),
      registeredAt,
      endedAt: null,
    });
  }
  if (seatSiret !== null) {
    const numberValid = isLuhn(seatSiret, 14);
    registrations.push({ authority: AUTHORITY, type: 'branch', number: seatSiret, numberValid, ...NO_DETAILS });
  }
  const association = text('identifiantAssociationUniteLegale');
  if (association !== null) {
    registrations.push({ authority: 'RNA', type: 'association', number: association, ...NO_DETAILS });
  }
  return registrations;
}
