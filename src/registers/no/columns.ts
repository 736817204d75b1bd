/**
 * The fields of the register under their names in both editions. A column name of the CSV with dots is a path of nested
 * objects in the JSON. `COLUMNS` has every column of the 2026 CSV, in its order.
 */
export const COLUMNS = [
  ...['organisasjonsnummer', 'navn', 'organisasjonsform.kode', 'organisasjonsform.beskrivelse', 'naeringskode1.kode'],
  ...['naeringskode1.beskrivelse', 'naeringskode2.kode', 'naeringskode2.beskrivelse', 'naeringskode3.kode'],
  ...['naeringskode3.beskrivelse', 'hjelpeenhetskode.kode', 'hjelpeenhetskode.beskrivelse'],
  ...['harRegistrertAntallAnsatte', 'antallAnsatte', 'registreringsdatoAntallAnsatteEnhetsregisteret'],
  ...['registreringsdatoantallansatteNAVAaregisteret', 'hjemmeside', 'epostadresse', 'telefon', 'mobil'],
  ...['postadresse.adresse', 'postadresse.poststed', 'postadresse.postnummer', 'postadresse.kommune'],
  ...['postadresse.kommunenummer', 'postadresse.land', 'postadresse.landkode', 'forretningsadresse.adresse'],
  ...['forretningsadresse.poststed', 'forretningsadresse.postnummer', 'forretningsadresse.kommune'],
  ...['forretningsadresse.kommunenummer', 'forretningsadresse.land', 'forretningsadresse.landkode'],
  ...['institusjonellSektorkode.kode', 'institusjonellSektorkode.beskrivelse', 'sisteInnsendteAarsregnskap'],
  ...['registreringsdatoenhetsregisteret', 'stiftelsesdato', 'registrertIMvaRegisteret'],
  ...['registreringsdatoMerverdiavgiftsregisteret', 'registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret'],
  ...['frivilligMvaRegistrertBeskrivelser', 'registreringsdatoFrivilligMerverdiavgiftsregisteret'],
  ...['registrertIFrivillighetsregisteret', 'registreringsdatoFrivillighetsregisteret'],
  ...['registrertIForetaksregisteret', 'registreringsdatoForetaksregisteret', 'registrertIStiftelsesregisteret'],
  ...['registrertIPartiregisteret', 'registreringsdatoPartiregisteret', 'konkurs', 'konkursdato', 'underAvvikling'],
  ...['underAvviklingDato', 'underTvangsavviklingEllerTvangsopplosning', 'tvangsopplostPgaManglendeDagligLederDato'],
  ...['tvangsopplostPgaManglendeRevisorDato', 'tvangsopplostPgaManglendeRegnskapDato'],
  ...['tvangsopplostPgaMangelfulltStyreDato', 'tvangsavvikletPgaManglendeSlettingDato', 'overordnetEnhet'],
  ...['maalform', 'vedtektsdato', 'vedtektsfestetFormaal', 'aktivitet', 'paategninger'],
  ...['underUtenlandskInsolvensbehandlingDato', 'underRekonstruksjonsforhandlingDato', 'fravalgRevisjonDato'],
  ...['fravalgRevisjonBeslutningsDato', 'erIKonsern', 'kapital.belop', 'kapital.antallAksjer', 'kapital.type'],
  ...['kapital.bundet', 'kapital.valuta', 'kapital.innbetalt', 'kapital.fulltInnbetalt', 'kapital.innfortDato'],
  ...['registreringsnummerIHjemlandet', 'utenlandskRegisterNavn', 'utenlandskRegisterAdresse.land'],
  ...['utenlandskRegisterAdresse.poststed', 'utenlandskRegisterAdresse.adresse', 'underlagtLovgivningLand'],
  ...['underlagtLovgivningLandKode', 'foretaksformIHjemlandet.kode', 'foretaksformIHjemlandet.beskrivelse'],
  ...['foretaksformIHjemlandet.beskrivelseBokmaal'],
] as const;

export type Column = (typeof COLUMNS)[number];

/** Three names have different capitals in the JSON edition. */
const SPELLED_IN_JSON: Partial<Record<Column, string>> = {
  registreringsdatoenhetsregisteret: 'registreringsdatoEnhetsregisteret',
  registrertIMvaRegisteret: 'registrertIMvaregisteret',
  registreringsdatoantallansatteNAVAaregisteret: 'registreringsdatoAntallAnsatteNAVAaregisteret',
};

/** Fields that only the JSON edition has. For a CSV they are always ''. */
const JSON_ONLY = ['slettedato', 'historiskeNavn'] as const;

export type FieldName = Column | (typeof JSON_ONLY)[number];

/** Where a field is: its column in the CSV, its path in the JSON, and its slot in the array of a JSON record. */
export interface Place {
  readonly column: FieldName;
  readonly path: string;
  readonly slot: number;
}

const PLACES: ReadonlyMap<FieldName, Place> = new Map(
  [...COLUMNS, ...JSON_ONLY].map((column: FieldName, slot) => [
    column,
    { column, path: (SPELLED_IN_JSON as Partial<Record<FieldName, string>>)[column] ?? column, slot },
  ]),
);

export const SLOT_COUNT = PLACES.size;

export function locate(column: FieldName): Place {
  return PLACES.get(column) as Place;
}

/** For each key of a JSON record, the slot of its value, or the slots of the values in its object. */
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

/** Top-level keys of a JSON record. */
export const KEYS: readonly string[] = [...SLOTS.keys(), '_links', 'respons_klasse'];
