/**
 * The names of the register: every column of the 2026 CSV in its order, and the same places in the JSON edition, where
 * the dots of a column are the nesting of the objects.
 */
export const COLUMNS = [
  'organisasjonsnummer',
  'navn',
  'organisasjonsform.kode',
  'organisasjonsform.beskrivelse',
  'naeringskode1.kode',
  'naeringskode1.beskrivelse',
  'naeringskode2.kode',
  'naeringskode2.beskrivelse',
  'naeringskode3.kode',
  'naeringskode3.beskrivelse',
  'hjelpeenhetskode.kode',
  'hjelpeenhetskode.beskrivelse',
  'harRegistrertAntallAnsatte',
  'antallAnsatte',
  'registreringsdatoAntallAnsatteEnhetsregisteret',
  'registreringsdatoantallansatteNAVAaregisteret',
  'hjemmeside',
  'epostadresse',
  'telefon',
  'mobil',
  'postadresse.adresse',
  'postadresse.poststed',
  'postadresse.postnummer',
  'postadresse.kommune',
  'postadresse.kommunenummer',
  'postadresse.land',
  'postadresse.landkode',
  'forretningsadresse.adresse',
  'forretningsadresse.poststed',
  'forretningsadresse.postnummer',
  'forretningsadresse.kommune',
  'forretningsadresse.kommunenummer',
  'forretningsadresse.land',
  'forretningsadresse.landkode',
  'institusjonellSektorkode.kode',
  'institusjonellSektorkode.beskrivelse',
  'sisteInnsendteAarsregnskap',
  'registreringsdatoenhetsregisteret',
  'stiftelsesdato',
  'registrertIMvaRegisteret',
  'registreringsdatoMerverdiavgiftsregisteret',
  'registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret',
  'frivilligMvaRegistrertBeskrivelser',
  'registreringsdatoFrivilligMerverdiavgiftsregisteret',
  'registrertIFrivillighetsregisteret',
  'registreringsdatoFrivillighetsregisteret',
  'registrertIForetaksregisteret',
  'registreringsdatoForetaksregisteret',
  'registrertIStiftelsesregisteret',
  'registrertIPartiregisteret',
  'registreringsdatoPartiregisteret',
  'konkurs',
  'konkursdato',
  'underAvvikling',
  'underAvviklingDato',
  'underTvangsavviklingEllerTvangsopplosning',
  'tvangsopplostPgaManglendeDagligLederDato',
  'tvangsopplostPgaManglendeRevisorDato',
  'tvangsopplostPgaManglendeRegnskapDato',
  'tvangsopplostPgaMangelfulltStyreDato',
  'tvangsavvikletPgaManglendeSlettingDato',
  'overordnetEnhet',
  'maalform',
  'vedtektsdato',
  'vedtektsfestetFormaal',
  'aktivitet',
  'paategninger',
  'underUtenlandskInsolvensbehandlingDato',
  'underRekonstruksjonsforhandlingDato',
  'fravalgRevisjonDato',
  'fravalgRevisjonBeslutningsDato',
  'erIKonsern',
  'kapital.belop',
  'kapital.antallAksjer',
  'kapital.type',
  'kapital.bundet',
  'kapital.valuta',
  'kapital.innbetalt',
  'kapital.fulltInnbetalt',
  'kapital.innfortDato',
  'registreringsnummerIHjemlandet',
  'utenlandskRegisterNavn',
  'utenlandskRegisterAdresse.land',
  'utenlandskRegisterAdresse.poststed',
  'utenlandskRegisterAdresse.adresse',
  'underlagtLovgivningLand',
  'underlagtLovgivningLandKode',
  'foretaksformIHjemlandet.kode',
  'foretaksformIHjemlandet.beskrivelse',
  'foretaksformIHjemlandet.beskrivelseBokmaal',
] as const;

export type Column = (typeof COLUMNS)[number];

/** The JSON edition writes three of the names with other capitals. */
const SPELLED_IN_JSON: Partial<Record<Column, string>> = {
  registreringsdatoenhetsregisteret: 'registreringsdatoEnhetsregisteret',
  registrertIMvaRegisteret: 'registrertIMvaregisteret',
  registreringsdatoantallansatteNAVAaregisteret: 'registreringsdatoAntallAnsatteNAVAaregisteret',
};

/** What only the JSON edition has; a CSV answers '' for them. */
const JSON_ONLY = ['slettedato', 'historiskeNavn'] as const;

export type PlaceName = Column | (typeof JSON_ONLY)[number];

/** A place in both editions: its column in the CSV, its path in the JSON, and its slot when a record is laid out flat. */
export interface Place {
  readonly column: PlaceName;
  readonly path: string;
  readonly slot: number;
}

const PLACES: ReadonlyMap<PlaceName, Place> = new Map(
  [...COLUMNS, ...JSON_ONLY].map((column: PlaceName, slot) => [
    column,
    { column, path: (SPELLED_IN_JSON as Partial<Record<PlaceName, string>>)[column] ?? column, slot },
  ]),
);

export const SLOT_COUNT = PLACES.size;

export function locate(column: PlaceName): Place {
  return PLACES.get(column) as Place;
}

/** Keys of a JSON record: the slot of a value, or of the values inside an object. */
export const SLOTS: ReadonlyMap<string, number | ReadonlyMap<string, number>> = layOut(PLACES.values());

function layOut(places: Iterable<Place>): ReadonlyMap<string, number | ReadonlyMap<string, number>> {
  const slots = new Map<string, number | Map<string, number>>();
  for (const { path, slot } of places) {
    const [key = path, inner] = path.split('.');
    const known = slots.get(key);
    if (inner === undefined) slots.set(key, slot);
    else if (known instanceof Map) known.set(inner, slot);
    else slots.set(key, new Map([[inner, slot]]));
  }
  return slots;
}

/** Keys at the top of a JSON record. */
export const KEYS: readonly string[] = [...SLOTS.keys(), '_links', 'respons_klasse'];
