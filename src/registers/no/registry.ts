/** The fields of `registry`, as a table of readers. */
import { composeAddress, EUROPEAN_STYLE } from '../address.ts';
import type { Json } from '../contract.ts';
import { compact, readDate, readText } from '../parsing.ts';
import type { AddressOf, TypedAddressOf } from '../vocabulary.ts';
import { locate, type Place } from './columns.ts';
import { amount, code, count, date, type Field, flag, group, lines, list, prose, text } from './fields.ts';
import { splitForeignCity } from './foreign-city.ts';
import { type JsonRecord, type Row, writeText } from './row.ts';

export const readRegistry = group({
  foundedAt: date('stiftelsesdato'),
  endedAt: date('slettedato'),
  previousNames: readPreviousNames,
  address: readAddress('forretningsadresse'),
  addresses: readPostalAddress,
  contacts: group({ websites: list('hjemmeside'), emails: list('epostadresse'), phones: list('telefon', 'mobil') }),
  language: text('maalform'),
  sector: readCode('institusjonellSektorkode'),
  supportUnit: readCode('hjelpeenhetskode'),
  activityDescription: prose('aktivitet'),
  purpose: prose('vedtektsfestetFormaal'),
  articlesDate: date('vedtektsdato'),
  parentNumber: text('overordnetEnhet'),
  inGroup: flag('erIKonsern'),
  employees: group({
    count: count('antallAnsatte'),
    registered: flag('harRegistrertAntallAnsatte'),
    enteredAt: date('registreringsdatoAntallAnsatteEnhetsregisteret'),
    reportedAt: date('registreringsdatoantallansatteNAVAaregisteret'),
  }),
  lastAnnualAccountsYear: count('sisteInnsendteAarsregnskap'),
  auditWaivedAt: date('fravalgRevisjonDato'),
  auditWaiverDecidedAt: date('fravalgRevisjonBeslutningsDato'),
  capital: group({
    amount: amount('kapital.belop'),
    currency: code('kapital.valuta', /^[A-Z]{3}$/),
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
    registerName: text('utenlandskRegisterNavn'),
    registerAddress: group({
      lines: lines('utenlandskRegisterAdresse.adresse'),
      city: text('utenlandskRegisterAdresse.poststed'),
      country: text('utenlandskRegisterAdresse.land'),
    }),
    lawCountry: text('underlagtLovgivningLand'),
    lawCountryCode: text('underlagtLovgivningLandKode'),
    legalForm: group({
      code: text('foretaksformIHjemlandet.kode'),
      label: text('foretaksformIHjemlandet.beskrivelse'),
      labels: group({ nb: text('foretaksformIHjemlandet.beskrivelseBokmaal') }),
    }),
  }),
});

export type Registry = NonNullable<ReturnType<typeof readRegistry>>;

function readAddress(name: 'forretningsadresse' | 'postadresse'): Field<AddressOf> {
  const readParts = group({
    lines: lines(`${name}.adresse`),
    postCode: text(`${name}.postnummer`),
    city: text(`${name}.poststed`),
    country: text(`${name}.land`),
    countryCode: code(`${name}.landkode`, /^[A-Z]{2}$/),
  });
  const readMunicipality = group({
    municipality: text(`${name}.kommune`),
    municipalityCode: text(`${name}.kommunenummer`),
  });
  return (row) => {
    const { country, ...parts } = readParts(row) ?? {};
    const { postCode, city, countryCode } = parts;
    const isAbroad = countryCode !== 'NO';
    // Norwegians do not write their own country in an address.
    const written = composeAddress({ ...parts, country: isAbroad ? (country ?? null) : null }, EUROPEAN_STYLE);
    if (written === null) return null;
    const isUnsplit = isAbroad && postCode === undefined && city !== undefined && countryCode !== undefined;
    const { city: _city, ...rest } = written;
    return {
      ...(isUnsplit ? { ...rest, ...splitForeignCity(city, countryCode) } : written),
      ...compact({ country }),
      ...readMunicipality(row),
    };
  };
}

const readPostadresse = readAddress('postadresse');

function readPostalAddress(row: Row): TypedAddressOf[] | null {
  const address = readPostadresse(row);
  return address === null ? null : [{ type: 'postal', ...address }];
}

function readCode(name: 'institusjonellSektorkode' | 'hjelpeenhetskode') {
  return group({ code: text(`${name}.kode`), label: text(`${name}.beskrivelse`) });
}

const HISTORIC_NAMES = locate('historiskeNavn');

function readPreviousNames(row: Row): PreviousName[] | null {
  const names: PreviousName[] = [];
  for (const entry of row.objects(HISTORIC_NAMES)) {
    const from = readDateOf(row, HISTORIC_NAMES, entry, 'fraDato');
    const until = readDateOf(row, HISTORIC_NAMES, entry, 'tilDato');
    const name = readText(writeText(entry.navn));
    // An entry without an end date is the current name.
    if (name === null || writeText(entry.tilDato) === '') continue;
    names.push({ name, ...compact({ from, until }) });
  }
  names.sort((one, other) => compareTexts(other.until, one.until));
  return names.length > 0 ? names : null;
}

type PreviousName = { readonly name: string; readonly from?: string; readonly until?: string };

function compareTexts(one = '', other = ''): number {
  return one < other ? -1 : one > other ? 1 : 0;
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
