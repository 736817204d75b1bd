/** The national fields of an entity (`registry`), as a table of readers. */
import type { Json } from '../contract.ts';
import { compact, readDate, readText } from '../parsing.ts';
import { locate, type Place } from './columns.ts';
import { amount, count, date, type Field, flag, group, lines, prose, text } from './fields.ts';
import { isValidNumber } from './number.ts';
import { type JsonRecord, type Row, writeText } from './row.ts';

const VAT_FLAG = locate('registrertIMvaRegisteret');
export const readNumber = text('organisasjonsnummer');

export const readRegistry = group({
  numberValid: (row) => {
    const number = readNumber(row);
    return number === null ? null : isValidNumber(number);
  },
  vatNumber: (row) => {
    const number = readNumber(row);
    return number === null || row.text(VAT_FLAG).trim() !== 'true' ? null : `NO${number}MVA`;
  },
  legalFormName: text('organisasjonsform.beskrivelse'),
  foundedAt: date('stiftelsesdato'),
  deletedAt: date('slettedato'),
  previousNames: readPreviousNames,
  address: readAddress('forretningsadresse'),
  postalAddress: readAddress('postadresse'),
  website: text('hjemmeside'),
  email: text('epostadresse'),
  phone: text('telefon'),
  mobile: text('mobil'),
  language: text('maalform'),
  sector: readCode('institusjonellSektorkode'),
  supportUnit: readCode('hjelpeenhetskode'),
  activityDescription: prose('aktivitet'),
  purpose: prose('vedtektsfestetFormaal'),
  articlesDate: date('vedtektsdato'),
  parentNumber: text('overordnetEnhet'),
  inGroup: flag('erIKonsern'),
  employees: count('antallAnsatte'),
  employeesRegistered: flag('harRegistrertAntallAnsatte'),
  employeesEnteredAt: date('registreringsdatoAntallAnsatteEnhetsregisteret'),
  employeesReportedAt: date('registreringsdatoantallansatteNAVAaregisteret'),
  lastAnnualAccountsYear: count('sisteInnsendteAarsregnskap'),
  auditWaivedAt: date('fravalgRevisjonDato'),
  auditWaiverDecidedAt: date('fravalgRevisjonBeslutningsDato'),
  capital: group({
    amount: amount('kapital.belop'),
    currency: text('kapital.valuta'),
    type: text('kapital.type'),
    shares: amount('kapital.antallAksjer'),
    paidIn: amount('kapital.innbetalt'),
    fullyPaid: flag('kapital.fulltInnbetalt'),
    bound: amount('kapital.bundet'),
    enteredAt: date('kapital.innfortDato'),
  }),
  vatRegistered: flag('registrertIMvaRegisteret'),
  vatRegisteredAt: date('registreringsdatoMerverdiavgiftsregisteret'),
  vatEnteredAt: date('registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret'),
  voluntaryVatReasons: lines('frivilligMvaRegistrertBeskrivelser'),
  voluntaryVatRegisteredAt: date('registreringsdatoFrivilligMerverdiavgiftsregisteret'),
  inBusinessRegister: flag('registrertIForetaksregisteret'),
  businessRegisteredAt: date('registreringsdatoForetaksregisteret'),
  inVoluntaryRegister: flag('registrertIFrivillighetsregisteret'),
  voluntaryRegisteredAt: date('registreringsdatoFrivillighetsregisteret'),
  inFoundationRegister: flag('registrertIStiftelsesregisteret'),
  inPartyRegister: flag('registrertIPartiregisteret'),
  partyRegisteredAt: date('registreringsdatoPartiregisteret'),
  bankrupt: flag('konkurs'),
  bankruptAt: date('konkursdato'),
  windingUp: flag('underAvvikling'),
  windingUpAt: date('underAvviklingDato'),
  compulsoryWindingUp: flag('underTvangsavviklingEllerTvangsopplosning'),
  compulsoryDissolution: group({
    noManagerAt: date('tvangsopplostPgaManglendeDagligLederDato'),
    noAuditorAt: date('tvangsopplostPgaManglendeRevisorDato'),
    noAccountsAt: date('tvangsopplostPgaManglendeRegnskapDato'),
    incompleteBoardAt: date('tvangsopplostPgaMangelfulltStyreDato'),
    notDeletedAt: date('tvangsavvikletPgaManglendeSlettingDato'),
  }),
  reconstructionAt: date('underRekonstruksjonsforhandlingDato'),
  foreignInsolvencyAt: date('underUtenlandskInsolvensbehandlingDato'),
  annotations: readAnnotations,
  foreign: group({
    number: text('registreringsnummerIHjemlandet'),
    registerName: text('utenlandskRegisterNavn'),
    registerAddress: group({
      lines: lines('utenlandskRegisterAdresse.adresse'),
      city: text('utenlandskRegisterAdresse.poststed'),
      country: text('utenlandskRegisterAdresse.land'),
    }),
    lawCountry: text('underlagtLovgivningLand'),
    lawCountryCode: text('underlagtLovgivningLandKode'),
    legalFormCode: text('foretaksformIHjemlandet.kode'),
    legalForm: text('foretaksformIHjemlandet.beskrivelse'),
    legalFormNorwegian: text('foretaksformIHjemlandet.beskrivelseBokmaal'),
  }),
});

function readAddress(name: 'forretningsadresse' | 'postadresse'): Field {
  return group({
    lines: lines(`${name}.adresse`),
    postCode: text(`${name}.postnummer`),
    city: text(`${name}.poststed`),
    municipality: text(`${name}.kommune`),
    municipalityCode: text(`${name}.kommunenummer`),
    country: text(`${name}.land`),
    countryCode: text(`${name}.landkode`),
  });
}

function readCode(name: 'institusjonellSektorkode' | 'hjelpeenhetskode'): Field {
  return group({ code: text(`${name}.kode`), label: text(`${name}.beskrivelse`) });
}

const HISTORIC_NAMES = locate('historiskeNavn');

function readPreviousNames(row: Row): Json | null {
  const names: Json[] = [];
  for (const entry of row.objects(HISTORIC_NAMES)) {
    const from = readDateOf(row, HISTORIC_NAMES, entry, 'fraDato');
    const until = readDateOf(row, HISTORIC_NAMES, entry, 'tilDato');
    // An entry without an end date is the current name.
    if (writeText(entry.tilDato) === '') continue;
    names.push(compact({ name: readText(writeText(entry.navn)), from, until }) as Json);
  }
  return names.length > 0 ? names : null;
}

const ANNOTATIONS = locate('paategninger');

/** The format of a list of annotations in the CSV is not known, so it is kept as one text. */
function readAnnotations(row: Row): Json | null {
  const entries: Json[] = row.objects(ANNOTATIONS).map((entry) => {
    const [type, text] = [writeText(entry.infotype), writeText(entry.tekst)];
    return compact({ type, text, date: readDateOf(row, ANNOTATIONS, entry, 'innfoertDato') }) as Json;
  });
  const written = entries.length === 0 ? readText(row.text(ANNOTATIONS)) : null;
  if (written !== null) entries.push({ text: written });
  return entries.length > 0 ? entries : null;
}

function readDateOf(row: Row, place: Place, entry: JsonRecord, key: string): string | null {
  const written = writeText(entry[key]);
  const day = readDate(written);
  if (day === null && written.trim() !== '') row.report(place, written, 'not a date');
  return day;
}
