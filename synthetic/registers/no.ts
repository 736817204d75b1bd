/**
 * Generates invented entities in the JSON format of the register. Its quirks occur about as often as in the real file.
 */

import { addCheckDigit } from '../../src/registers/check-digits.ts';
import type { Json } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/no/register.ts';
import { type Chance, completeNumber, createChance } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import {
  ACTIVITIES,
  CLUBS,
  FIRST_NAMES,
  FORMS,
  NAME_ENDS,
  NAME_STARTS,
  PLACES,
  STREETS,
  SURNAMES,
  TRADES,
} from './no-words.ts';

type Entity = { [key: string]: Json };

export function* generateEntities(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed);
  const numbers = generateNumbers(chance);
  for (let row = 0; row < rows; row++) yield makeEntity(chance, numbers.next().value);
}

/** Eight digits that do not repeat within twenty million steps, and a check digit, which is wrong for a few. */
function* generateNumbers(chance: Chance): Generator<string, never> {
  for (let step = 0; ; step++) {
    const digits = String(80_000_000 + ((step * 7919) % 20_000_000));
    if (addCheckDigit(isValidNumber, digits) !== null) yield completeNumber(isValidNumber, digits, chance.is(0.002));
  }
}

function makeEntity(chance: Chance, number: string): Json {
  const [form, formName] = pickForm(chance);
  const isCompany = form === 'AS' || form === 'ASA' || form === 'NUF';
  const name = makeName(chance, form);
  const registered = chance.date(1995, 2026);
  const inVat = chance.is(isCompany ? 0.6 : 0.2);
  const entity: Entity = {
    organisasjonsnummer: number,
    navn: name,
    organisasjonsform: {
      kode: form,
      beskrivelse: formName,
      _links: link(`organisasjonsformer/${form}`),
    },
  };
  if (chance.is(0.04)) entity.historiskeNavn = [makePreviousName(chance, form, registered)];
  if (chance.is(0.1)) entity.hjemmeside = `www.${chance.pick(NAME_STARTS)}${chance.pick(NAME_ENDS)}.no`.toLowerCase();
  if (chance.is(0.3)) entity.postadresse = makeAddress(chance, `Postboks ${chance.between(1, 2999)}`);
  Object.assign(entity, { registreringsdatoEnhetsregisteret: registered, registrertIMvaregisteret: inVat });
  if (inVat && chance.is(0.1)) entity.frivilligMvaRegistrertBeskrivelser = ['Utleier av bygg eller anlegg'];
  addActivities(entity, chance);
  addEmployees(entity, chance, isCompany);
  if (inVat) entity.registreringsdatoMerverdiavgiftsregisteret = registered;
  if (chance.is(0.25)) entity.mobil = makePhone(chance);
  entity.forretningsadresse = makeAddress(chance, `${chance.pick(STREETS)} ${chance.between(1, 180)}`);
  if (chance.is(0.9)) entity.stiftelsesdato = chance.is(0.01) ? chance.date(1855, 1950) : registered;
  if (isCompany) entity.institusjonellSektorkode = { kode: '2100', beskrivelse: 'Private aksjeselskaper mv.' };
  Object.assign(entity, {
    registrertIForetaksregisteret: isCompany || chance.is(0.2),
    registrertIStiftelsesregisteret: form === 'STI',
    registrertIFrivillighetsregisteret: form === 'FLI' && chance.is(0.5),
  });
  if (isCompany) entity.sisteInnsendteAarsregnskap = String(chance.between(2021, 2025));
  addProceedings(entity, chance);
  entity.maalform = chance.is(0.96) ? 'Bokmål' : 'Nynorsk';
  if (isCompany) entity.vedtektsfestetFormaal = PURPOSE;
  entity.aktivitet = [`${chance.pick(TRADES)} og ${chance.pick(TRADES).toLowerCase()}.`];
  entity.registrertIPartiregisteret = false;
  entity.paategninger = chance.is(0.002) ? [makeAnnotation(chance)] : [];
  entity.erIKonsern = isCompany && chance.is(0.2);
  if (form === 'NUF') addHomeCountry(entity, chance);
  else if (isCompany) entity.kapital = makeCapital(chance, registered);
  if (form === 'KBO' || chance.is(0.01)) entity.overordnetEnhet = String(chance.between(810_000_000, 999_999_999));
  return Object.assign(entity, { _links: link(`enheter/${number}`), respons_klasse: 'Enhet' });
}

const PURPOSE: Json = [
  'Å drive handel og tjenesteyting, samt å delta i andre selskaper med',
  'lignende virksomhet, og alt som naturlig hører inn under dette.',
];

function link(path: string): Json {
  return { self: { href: `https://data.brreg.no/enhetsregisteret/api/${path}` } };
}

function pickForm(chance: Chance): readonly [string, string, number] {
  let left = chance.between(0, 999);
  for (const form of FORMS) {
    left -= form[2];
    if (left < 0) return form;
  }
  return FORMS[0];
}

function makeName(chance: Chance, form: string): string {
  const place = chance.pick(NAME_STARTS) + chance.pick(NAME_ENDS);
  const trade = chance.pick(TRADES);
  const name = makeNameOf(chance, form, place, trade);
  return name.toUpperCase();
}

function makeNameOf(chance: Chance, form: string, place: string, trade: string): string {
  const surname = chance.pick(SURNAMES);
  if (form === 'ENK') return `${trade} ${chance.pick(FIRST_NAMES)} ${chance.pick(NAME_STARTS)}${surname.toLowerCase()}`;
  if (form === 'FLI') return `${place} og ${surname} ${chance.pick(CLUBS)} ${chance.between(1880, 2020)}`;
  if (form === 'ESEK') return `Sameiet ${place} ${chance.between(1, 99)}-${chance.between(100, 199)}`;
  if (form === 'BRL') return `${place} ${surname} Borettslag ${chance.between(1, 40)}`;
  if (form === 'STI') return `Stiftelsen ${place} ${trade}`;
  if (form === 'KBO') return `${place} ${trade} AS Konkursbo`;
  if (form === 'NUF') return `${place} ${trade} ${chance.pick(['AB', 'Limited', 'GmbH', 'Oy', 'Sp. z o.o.'])}`;
  if (chance.is(0.2)) return `${surname} & ${chance.pick(SURNAMES)} ${place} ${trade} ${form}`;
  if (chance.is(0.02)) return `${place}'s ${trade} ${form}`;
  return `${place} ${trade} ${chance.is(0.5) ? surname : chance.pick(NAME_STARTS)} ${form}`;
}

function makePreviousName(chance: Chance, form: string, registered: string): Json {
  const until = `${chance.date(2020, 2026)} 08:32:09`;
  return { navn: makeName(chance, form), fraDato: `${registered} 06:44:33`, tilDato: until };
}

function makeAddress(chance: Chance, street: string): Json {
  const adresse = chance.is(0.2) ? [`c/o ${chance.pick(SURNAMES)} ${chance.pick(TRADES)} AS`, street] : [street];
  if (chance.is(0.01)) return { land: 'Sverige', landkode: 'SE', poststed: '111 22 STOCKHOLM', adresse };
  const [postnummer, poststed, kommune, kommunenummer] = chance.pick(PLACES);
  return { land: 'Norge', landkode: 'NO', postnummer, poststed, adresse, kommune, kommunenummer };
}

function addActivities(entity: Entity, chance: Chance): void {
  if (chance.is(0.05)) return;
  const count = chance.is(0.04) ? 2 : 1;
  for (let rank = 1; rank <= count; rank++) {
    const [kode, beskrivelse] = chance.pick(ACTIVITIES);
    entity[`naeringskode${rank}`] = { kode, beskrivelse };
  }
  if (chance.is(0.03)) entity.hjelpeenhetskode = { kode: '70.100', beskrivelse: 'Hovedkontortjenester' };
}

/**
 * If employees are registered without a count, there are fewer than five: the register does not publish small counts.
 */
function addEmployees(entity: Entity, chance: Chance, isCompany: boolean): void {
  const registered = isCompany && chance.is(0.5);
  if (registered && chance.is(0.6)) entity.antallAnsatte = chance.between(5, 300);
  entity.harRegistrertAntallAnsatte = registered;
}

function addProceedings(entity: Entity, chance: Chance): void {
  const turn = chance.next();
  const bankrupt = turn < 0.005;
  const windingUp = turn >= 0.005 && turn < 0.013;
  const compulsory = turn >= 0.0125 && turn < 0.015;
  entity.konkurs = bankrupt;
  if (bankrupt) entity.konkursdato = chance.date(2024, 2026);
  entity.underAvvikling = windingUp;
  if (windingUp) entity.underAvviklingDato = chance.date(2024, 2026);
  entity.underTvangsavviklingEllerTvangsopplosning = compulsory;
  if (compulsory) entity.tvangsopplostPgaManglendeRegnskapDato = chance.date(2024, 2026);
  if (turn > 0.9999) entity.underRekonstruksjonsforhandlingDato = chance.date(2025, 2026);
}

function makeAnnotation(chance: Chance): Json {
  return {
    infotype: 'FADR',
    tekst: 'Forretningsadressen er ikke lenger i bruk.',
    innfoertDato: chance.date(2020, 2026),
  };
}

function addHomeCountry(entity: Entity, chance: Chance): void {
  Object.assign(entity, {
    registreringsnummerIHjemlandet: `55${chance.between(1000, 9999)}-${chance.between(1000, 9999)}`,
    utenlandskRegisterNavn: 'Bolagsverket',
    utenlandskRegisterAdresse: { land: 'Sverige', poststed: '851 81 SUNDSVALL', adresse: ['Stuvarvägen 21'] },
    underlagtLovgivningLand: 'Sverige',
    underlagtLovgivningLandKode: 'SE',
    foretaksformIHjemlandet: { kode: 'AB', beskrivelse: 'Aktiebolag', beskrivelseBokmaal: 'Aksjeselskap' },
  });
}

function makeCapital(chance: Chance, registered: string): Json {
  const shares = chance.pick([30, 100, 300, 1000, 3000]);
  const belop = shares * chance.pick([30, 100, 1000]);
  return { belop, antallAksjer: shares, type: 'Aksjekapital', valuta: 'NOK', innfortDato: registered };
}

function makePhone(chance: Chance): string {
  return `${chance.between(900, 999)} ${chance.between(10, 99)} ${chance.between(100, 999)}`;
}

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'enheter_alle.json.gz',
    packing: 'gzip',
    content: { type: 'json', layout: 'array', values: generateEntities(rows, seed) },
  };
}
