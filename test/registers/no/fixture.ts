/** An invented company for the tests, and functions that map it. */
import assert from 'node:assert/strict';
import type { Json, MappedRecord, TableSource, TreeSource } from '../../../src/registers/contract.ts';
import { no } from '../../../src/registers/no/register.ts';

export const table = no.sources[0] as TableSource<unknown>;
export const tree = no.sources[1] as TreeSource<unknown>;
export type JsonObject = { [key: string]: Json };

/** An invented company, as a row of the CSV and as a JSON object. */
export const ROW = {
  organisasjonsnummer: '810000007',
  navn: ' FJORDHEIM  "NORD" & SØNN AS ',
  'organisasjonsform.kode': 'AS',
  'organisasjonsform.beskrivelse': 'Aksjeselskap',
  'naeringskode1.kode': '62.010',
  'naeringskode1.beskrivelse': 'Programmeringstjenester',
  'naeringskode2.kode': '00.000',
  'naeringskode2.beskrivelse': 'Uoppgitt',
  'naeringskode3.kode': '62.010',
  'naeringskode3.beskrivelse': 'Programmeringstjenester',
  'hjelpeenhetskode.kode': '70.100',
  'hjelpeenhetskode.beskrivelse': 'Hovedkontortjenester',
  harRegistrertAntallAnsatte: 'true',
  antallAnsatte: '12',
  registreringsdatoantallansatteNAVAaregisteret: '2026-03-10',
  'forretningsadresse.adresse': 'c/o Berg Regnskap AS/nStorgata 6',
  'forretningsadresse.poststed': 'OSLO',
  'forretningsadresse.postnummer': '0151',
  'forretningsadresse.landkode': 'NO',
  registreringsdatoenhetsregisteret: '1995-02-19',
  stiftelsesdato: '1855-01-01',
  registrertIMvaRegisteret: 'true',
  registreringsdatoMerverdiavgiftsregisteret: '1996-01-01',
  frivilligMvaRegistrertBeskrivelser: 'Utleier av bygg eller anlegg',
  konkurs: 'false',
  underAvvikling: 'false',
  underTvangsavviklingEllerTvangsopplosning: 'false',
  vedtektsfestetFormaal: 'Drift av skole/næring og\nalt som hører til.',
  sisteInnsendteAarsregnskap: '2024',
  overordnetEnhet: '810000015',
  'kapital.belop': '30000.50',
  'kapital.antallAksjer': '300',
  'kapital.valuta': 'NOK',
  'kapital.fulltInnbetalt': 'true',
  'kapital.innfortDato': '2025-07-02',
};
export const ENTITY: JsonObject = {
  organisasjonsnummer: '810000007',
  navn: ' FJORDHEIM  "NORD" & SØNN AS ',
  organisasjonsform: { kode: 'AS', beskrivelse: 'Aksjeselskap', _links: {} },
  naeringskode1: { kode: '62.010', beskrivelse: 'Programmeringstjenester' },
  naeringskode2: { kode: '00.000', beskrivelse: 'Uoppgitt' },
  naeringskode3: { kode: '62.010', beskrivelse: 'Programmeringstjenester' },
  hjelpeenhetskode: { kode: '70.100', beskrivelse: 'Hovedkontortjenester' },
  harRegistrertAntallAnsatte: true,
  antallAnsatte: 12,
  registreringsdatoAntallAnsatteNAVAaregisteret: '2026-03-10',
  forretningsadresse: {
    adresse: ['c/o Berg Regnskap AS', 'Storgata 6'],
    poststed: 'OSLO',
    postnummer: '0151',
    landkode: 'NO',
  },
  registreringsdatoEnhetsregisteret: '1995-02-19',
  stiftelsesdato: '1855-01-01',
  registrertIMvaregisteret: true,
  registreringsdatoMerverdiavgiftsregisteret: '1996-01-01',
  frivilligMvaRegistrertBeskrivelser: ['Utleier av bygg eller anlegg'],
  konkurs: false,
  underAvvikling: false,
  underTvangsavviklingEllerTvangsopplosning: false,
  vedtektsfestetFormaal: ['Drift av skole/næring og', 'alt som hører til.'],
  sisteInnsendteAarsregnskap: '2024',
  overordnetEnhet: '810000015',
  kapital: { belop: 30000.5, antallAksjer: 300, valuta: 'NOK', fulltInnbetalt: true, innfortDato: '2025-07-02' },
  paategninger: [],
  _links: {},
  respons_klasse: 'Enhet',
};

export type Reports = string[][];

export function mapRow(row: Readonly<Record<string, string>>, reports: Reports = []): MappedRecord {
  const context = {
    codes: null,
    report: (...problem: string[]) => reports.push(problem),
    reportUnknown: (...problem: string[]) => reports.push(problem),
  };
  const mapped = table.map?.((column) => row[column] ?? '', context);
  assert.ok(mapped !== undefined && !('rejected' in mapped));
  return mapped;
}

export function mapTree(record: JsonObject, reports: Reports = []): MappedRecord {
  const mapped = tree.map(record, {
    codes: null,
    report: (...problem: string[]) => reports.push(problem),
    reportUnknown: (...problem: string[]) => reports.push(problem),
  });
  assert.ok(!('rejected' in mapped));
  return mapped;
}
