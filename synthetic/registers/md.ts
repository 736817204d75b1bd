/** Generates a workbook in the layout of September 2026. Rows are streamed; only the current one is in memory. */

import { type Chance, createChance, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import * as words from './md-words.ts';

const HEADER = [
  'IDNO/ Cod fiscal',
  'Data înregistrării',
  'Denumirea completă',
  'Forma org./jurid.',
  'Adresa',
  'Codul unităţii administrativ-teritoriale (CUATM)',
  'Lista conducătorilor (cu indicarea rolurilor)',
  'Lista fondatorilor (cu indicarea cotei părţi în capitalul social %)',
  'Genuri de activitate nelicentiate',
  'Genuri de activitate licentiate',
  'Data lichidării',
];
const TITLE =
  'Date din Registrul de stat al unităţilor de drept privind\nîntreprinderile înregistrate în Republica Moldova\n (starea pînă la 14.09.2026)';
const SNAPSHOT = countDays(2026, 9, 14);

type Row = readonly (string | number | null)[];
type Kind = 'srl' | 'trader' | 'farm' | 'sa' | 'cooperative' | 'municipal' | 'state';

const FORMS: Readonly<Record<Kind, string>> = {
  srl: 'Societate cu răspundere limitată',
  trader: 'Întreprindere individuală',
  farm: 'Întreprindere individuală în agricultură (gospodăria ţărănească, de fermier)',
  sa: 'Societate pe acţiuni de tip deschis',
  cooperative: 'Cooperativă de producţie (inclusiv agricole)',
  municipal: 'Întreprindere municipală',
  state: 'Întreprindere de stat',
};
/** About two thirds are limited companies; most others are sole traders and farms. */
const KINDS: Shares<Kind> = [
  [0.62, 'srl'],
  [0.82, 'trader'],
  [0.95, 'farm'],
  [0.97, 'sa'],
  [0.985, 'cooperative'],
  [0.995, 'municipal'],
  [1, 'state'],
];
const RARE_ROLES = [
  'Administrator al procesului de insolvabilitate',
  'Administrator provizoriu',
  'Administrator fiduciar',
  'Administrator din oficiu',
  'Administrator al procedurii planului',
  'Comisia',
  'Datele lipsesc',
];

/**
 * As in the real file, ids differ from codes. Version 1 ids are codes padded to five digits and stored as numbers,
 * which drops a leading zero: `0111` → `01110` → 1110.
 */
const UNLICENSED = [
  ...words.CAEM_1.map(([code, label]) => ({ id: Number(code.padEnd(5, '0')), code, label, version: 1 })),
  ...words.CAEM_2.map(([code, label]) => ({ id: Number(`1${code}`), code, label, version: 2 })),
];

export function generateWorkbook(rows: number, seed: number): SyntheticFile {
  return {
    name: 'company_2026.09.14.xlsx',
    packing: 'none',
    content: {
      type: 'xlsx',
      sheets: [
        { name: 'Company', rows: { [Symbol.iterator]: () => writeCompanies(rows, seed) } },
        { name: 'Clasificare nelicenţiate', rows: writeUnlicensed() },
        {
          name: 'Clasificare licenţiate',
          rows: [['ID', 'Denumire'], ...words.LICENSED.map((label, index) => [index + 1, label])],
        },
      ],
    },
  };
}

function writeUnlicensed(): Row[] {
  const header = ['ID', 'Denumire', 'Cod CAEM', 'Versiunea CAEM\n(1 - CAEM; 2 - CAEM rev.2)'];
  return [header, ...UNLICENSED.map(({ id, label, code, version }) => [id, label, code, version])];
}

function* writeCompanies(rows: number, seed: number): Generator<Row> {
  const chance = createChance(seed);
  yield [null, null, null, TITLE];
  yield HEADER;
  for (let index = 0; index < rows; index++) yield writeCompany(chance, index);
}

function writeCompany(chance: Chance, index: number): Row {
  const kind = pickByShare(chance, KINDS);
  const isLegacy = chance.is(0.11);
  const year = isLegacy ? chance.between(1991, 2001) : 2002 + (Math.floor(index / 12) % 25);
  const number = isLegacy ? 200_000 + index : writeIdno(index, year, chance.is(0.002));
  const registered = Math.min(countDays(year, 1, 1) + chance.between(0, 364), SNAPSHOT);
  const isLiquidated = chance.is(isLegacy ? 0.9 : 0.3);
  const [place, cuatm, postCode] = chance.pick(words.PLACES);
  const person = writePerson(chance);
  const row: Row = [
    chance.is(0.0002) ? null : number,
    chance.is(0.00005) ? '20.08.1111' : registered,
    mixLetters(chance, writeName(chance, kind, person)),
    FORMS[kind],
    writeAddress(chance, place, postCode),
    cuatm,
    writeDirectors(chance, kind, person),
    writeFounders(chance, kind, person, place),
    writeActivities(chance),
    chance.is(0.06) ? String(chance.between(1, words.LICENSED.length)) : chance.is(0.01) ? '5, 6' : null,
    isLiquidated ? chance.between(registered, SNAPSHOT) : null,
  ];
  return row;
}

/**
 * `1`, three digits of the year, three of the office, five of a sequence, check digit. Different indexes give different
 * numbers.
 */
function writeIdno(index: number, year: number, isWrong: boolean): number {
  const running = Math.floor(index / 300) % 100_000;
  const twelve = 100_000_000_000 + (year - 2000) * 100_000_000 + (600 + (index % 12)) * 100_000 + running;
  let [rest, sum] = [twelve, 0];
  for (let place = 0; place < 12; place++) {
    sum += (rest % 10) * (place % 3 === 0 ? 1 : place % 3 === 1 ? 3 : 7);
    rest = Math.floor(rest / 10);
  }
  return twelve * 10 + ((sum + (isWrong ? 1 : 0)) % 10);
}

function writePerson(chance: Chance): string {
  return `${chance.pick(words.SURNAMES)} ${chance.pick(words.GIVEN_NAMES)}`;
}

function writeFirm(chance: Chance): string {
  const coined = chance.pick(words.SYLLABLES) + chance.pick(words.SYLLABLES);
  if (chance.is(0.4)) return `${coined}-${chance.pick(words.SYLLABLES)}`;
  return chance.is(0.5) ? `${coined} ${chance.pick(words.FIRM_WORDS)}` : `${chance.pick(words.FIRM_WORDS)} ${coined}`;
}

function writeName(chance: Chance, kind: Kind, person: string): string {
  if (kind === 'trader')
    return `Întreprinderea Individuală "${person}${chance.is(0.3) ? `-${writeFirm(chance)}` : ''}"`;
  if (kind === 'farm') return `Gospodăria ţărănească "${person} ${chance.pick(words.GIVEN_NAMES)}"`;
  const firm = writeFirm(chance);
  if (kind === 'sa') return `Societatea pe Acţiuni "${firm}"`;
  if (kind === 'cooperative') return `Cooperativa de Producţie "${firm}"`;
  if (kind === 'municipal') return `Întreprinderea Municipală SERVICII COMUNALE ${firm}`;
  if (kind === 'state') return `ÎNTREPRINDEREA DE STAT "${firm}"`;
  return chance.pick(SRL_NAMES)(firm);
}

const SRL_NAMES: readonly ((firm: string) => string)[] = [
  (firm) => `Societatea cu Răspundere Limitată "${firm}"`,
  (firm) => `SOCIETATEA CU RĂSPUNDERE LIMITATĂ ${firm}`,
  (firm) => `Societatea Comercială ${firm} S.R.L.`,
  (firm) => `"${firm}" S.R.L.`,
  (firm) => `S.R.L. ”${firm}”`,
  (firm) => `FIRMA "${firm}" SOCIETATE CU RASPUNDERE LIMITATA`,
  (firm) => `Întreprinderea cu Capital Străin "${firm}" S.R.L.`,
];

/** The register uses both ţ ş (with cedilla) and ț ș (with comma below). */
function mixLetters(chance: Chance, text: string): string {
  if (!chance.is(0.15)) return text;
  return text.replaceAll('ţ', 'ț').replaceAll('ş', 'ș').replaceAll('Ţ', 'Ț').replaceAll('Ş', 'Ș');
}

function writeAddress(chance: Chance, place: string, postCode: number): string | null {
  if (chance.is(0.004)) return chance.is(0.5) ? ' ' : null;
  if (chance.is(0.001)) return `str. <, ${chance.between(1, 99)}`;
  const post = chance.is(0.5) ? `MD-${postCode}, ` : '';
  const flat = chance.is(0.4) ? `, ap. ${chance.between(1, 240)}` : '';
  return mixLetters(chance, `${post}${place}, ${chance.pick(words.STREETS)}, ${chance.between(1, 180)}${flat}`);
}

function writeDirectors(chance: Chance, kind: Kind, person: string): string | null {
  if (chance.is(0.01)) return null;
  if (kind === 'sa' && chance.is(0.3)) return `${person} [Comitet], ${writePerson(chance)} [Direcţie de conducere]`;
  if (chance.is(0.04)) return `${person} [Lichidator]`;
  if (chance.is(0.015)) return `${person} [${chance.pick(RARE_ROLES)}]`;
  return `${person} [Administrator]${chance.is(0.05) ? `, ${writePerson(chance)} [Administrator]` : ''}`;
}

function writeFounders(chance: Chance, kind: Kind, person: string, place: string): string | null {
  if (kind === 'sa') return null;
  if (kind === 'state') return 'STATUL (100,00%)';
  if (kind === 'municipal') return ` Consiliul Orăşenesc ${place} `;
  if (kind === 'trader' || kind === 'farm') return person;
  if (kind === 'cooperative' && chance.is(0.5)) return `TOTAL ${chance.between(5, 300)} MEMBRI`;
  const other = writePerson(chance);
  if (chance.is(0.6)) return `${person} (100,00%)`;
  if (chance.is(0.03)) return `${person}, ${other} (25,00%), ${writePerson(chance)} (75,00%)`;
  if (chance.is(0.01)) {
    const idno = writeIdno(chance.between(0, 9_999_999), 2011, false);
    return `”${writeFirm(chance)}” SRL, IDNO ${idno}\nMD-2028, ${chance.pick(words.STREETS)} 5/1, MUN. CHIŞINĂU. (100,00%)`;
  }
  if (chance.is(0.1)) return `"${writeFirm(chance)}" S.R.L. (60,00%), ${other} (40,00%)`;
  if (chance.is(0.1)) return `${person}, ${other}`;
  if (chance.is(0.2)) return `${person} (33,34%), ${other} (33,33%), ${writePerson(chance)} (33,33%)`;
  return `${person} (50,00%), ${other} (50,00%)`;
}

function writeActivities(chance: Chance): string | null {
  if (chance.is(0.05)) return null;
  let ids = String(chance.pick(UNLICENSED).id);
  for (let more = chance.between(0, 4); more > 0; more--) ids += `, ${chance.pick(UNLICENSED).id}`;
  return ids;
}

function countDays(year: number, month: number, day: number): number {
  return (Date.UTC(year, month - 1, day) - Date.UTC(1899, 11, 30)) / 86_400_000;
}
