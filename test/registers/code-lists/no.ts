import { no } from '../../../src/registers/no/register.ts';
import { type CodeList, mapWith, parseCases, readFormLabel, readStatus, type Without } from './code-list.ts';

const unit = {
  organisasjonsnummer: '810000007',
  navn: 'STILLE VANN AS',
  'organisasjonsform.beskrivelse': 'Aksjeselskap',
};
const flags = { konkurs: 'false', underAvvikling: 'false', underTvangsavviklingEllerTvangsopplosning: 'false' };

/** The codes of `organisasjonsform`. */
const FORMS = parseCases(`
  AAFY = Underenhet til ikke-næringsdrivende
  ADOS = Administrativ enhet -offentlig sektor
  ANNA = Annen juridisk person
  ANS = Ansvarlig selskap med solidarisk ansvar
  AS = Aksjeselskap
  ASA = Allmennaksjeselskap
  BA = Selskap med begrenset ansvar
  BBL = Boligbyggelag
  BEDR = Underenhet til næringsdrivende og offentlig forvaltning
  BO = Andre bo
  BRL = Borettslag
  DA = Selskap med delt ansvar
  ENK = Enkeltpersonforetak
  EOFG = Europeisk økonomisk foretaksgruppe
  ESEK = Eierseksjonssameie
  FKF = Fylkeskommunalt foretak
  FLI = Forening/lag/innretning
  FYLK = Fylkeskommune
  GFS = Gjensidig forsikringsselskap
  IKJP = Andre ikke-juridiske personer
  IKS = Interkommunalt selskap
  KBO = Konkursbo
  KF = Kommunalt foretak
  KIRK = Den norske kirke
  KOMM = Kommune
  KS = Kommandittselskap
  KTRF = Kontorfellesskap
  NUF = Norskregistrert utenlandsk foretak
  OPMV = Særskilt oppdelt enhet, jf. mvaloven § 2-2
  ORGL = Organisasjonsledd
  PERS = Andre enkeltpersoner registrert i tilknyttet register
  PK = Pensjonskasse
  PRE = Partrederi
  REV = Enkeltpersoner som registreres i Revisorregisteret
  SA = Samvirkeforetak
  SAM = Tingsrettslig sameie
  SE = Europeisk selskap
  SF = Statsforetak
  SPA = Sparebank
  STAT = Staten
  STI = Stiftelse
  SÆR = Annet foretak iflg. særskilt lov
  TVAM = Tvangsregistrert for MVA
  UDEF = Udefinert
  UTLA = Utenlandsk enhet
  VPFO = Verdipapirfond
`);
const labels = new Map(FORMS);

/** `konkurs=true` or several such parts, joined by `+`. */
const readFlags = (value: string) => Object.fromEntries(value.split('+').map((part) => part.split('=')));
const FLAGS: CodeList['cases'] = [
  ['konkurs=false', 'active'],
  ['konkurs=true', 'insolvent'],
  ['underRekonstruksjonsforhandlingDato=2026-01-02', 'insolvent'],
  ['underUtenlandskInsolvensbehandlingDato=2026-01-02', 'insolvent'],
  ['underAvvikling=true', 'in_liquidation'],
  ['underTvangsavviklingEllerTvangsopplosning=true', 'in_liquidation'],
  ['underAvvikling=true+underTvangsavviklingEllerTvangsopplosning=true', 'in_liquidation'],
  ['underAvvikling=true+konkurs=true', 'insolvent'],
];

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(no, 'enheter (CSV)', {}, (value) => ({ row: { ...unit, ...flags, ...readFlags(value) } }), readStatus),
    cases: FLAGS,
    others: { values: ['konkurs=ja', 'underAvvikling=1', 'konkurs=TRUE'], shown: 'unknown', reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(
      no,
      'enheter (CSV)',
      {},
      (value) => ({
        row: {
          ...unit,
          'organisasjonsform.kode': value,
          'organisasjonsform.beskrivelse': labels.get(value) ?? '',
        },
      }),
      ({ legalForm }) => (legalForm?.code === undefined ? null : readFormLabel({ legalForm } as never)),
    ),
    cases: FORMS,
    others: { values: ['XX'], shown: null, reported: true },
  },
];

export const without: Without = { role: 'roles are in a file of their own, which is refused' };
