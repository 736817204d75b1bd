/** Generates the files of persons for the invented companies of `ee.ts`. */
import type { Json } from '../../src/registers/contract.ts';
import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { FIRST_NAMES, generateRows, SURNAMES } from './ee.ts';

type Item = { readonly [key: string]: Json };
type Company = readonly [number: string, name: string];

/** How many companies can own the next one. */
const MAX_OWNERS = 1_000;
const OFFICERS = [
  ['JUHL', 'Juhatuse liige'],
  ['PROK', 'Prokurist'],
  ['LIKV', 'Likvideerija'],
] as const;

const COLUMNS = listColumns('ee', 'lihtandmed (CSV)');
const [NUMBER, NAME] = [COLUMNS.indexOf('ariregistri_kood'), COLUMNS.indexOf('nimi')];

function* generateCompanies(rows: number, seed: number, make: (chance: Chance, owners: readonly Company[]) => Item) {
  const chance = createChance(seed + 2);
  const known: Company[] = [];
  let entry = 1_000_000;
  for (const cells of generateRows(rows, seed)) {
    const [number, name] = [cells[NUMBER] ?? '', cells[NAME] ?? ''];
    const lists = Object.entries(make(chance, known)).map(([key, items]) => [
      key,
      (items as readonly Item[]).map((item) => ({ kirje_id: ++entry, ...item })),
    ]);
    yield { ariregistri_kood: Number(number), nimi: name, ...Object.fromEntries(lists) } as Json;
    if (known.length < MAX_OWNERS) known.push([number, name]);
  }
}

function makePerson(chance: Chance): Item {
  const isForeign = chance.is(0.05);
  return {
    isiku_tyyp: 'F',
    eesnimi: chance.pick(FIRST_NAMES),
    nimi_arinimi: chance.pick(SURNAMES),
    isikukood_hash: isForeign ? null : `00000000-0000-5000-8000-${String(chance.between(0, 1e9)).padStart(12, '0')}`,
    isikukood_registrikood: null,
    ...(isForeign ? { valis_kood: `0101${chance.between(10, 99)}-1234`, valis_kood_riik: 'FIN' } : NOT_FOREIGN),
    valis_kood_riik_tekstina: isForeign ? 'Soome' : null,
    synniaeg: isForeign ? '01.12.1971' : null,
    aadress_riik: isForeign ? 'FIN' : null,
    aadress_tanav_maja_korter: isForeign ? `Näidise ${chance.between(1, 99)}` : null,
    email: chance.is(0.1) ? 'keegi@naidis.example' : null,
  };
}

const NOT_FOREIGN = { valis_kood: null, valis_kood_riik: null };

function makeOrganisation(chance: Chance, known: readonly Company[]): Item {
  const isForeign = known.length === 0 || chance.is(0.2);
  const [number, name] = isForeign ? ['', 'Nasdaq CSD SE'] : chance.pick(known);
  return {
    isiku_tyyp: 'J',
    eesnimi: null,
    nimi_arinimi: name,
    isikukood_registrikood: isForeign ? null : number,
    ...(isForeign ? { valis_kood: '40003242879', valis_kood_riik: 'LVA' } : NOT_FOREIGN),
    valis_kood_riik_tekstina: isForeign ? 'Läti' : null,
    synniaeg: null,
    aadress_tanav_maja_korter: isForeign ? 'Valnu iela 1, Riia' : null,
    email: null,
  };
}

function makePeriod(chance: Chance): Item {
  const [year, month, day] = chance.date(2000, 2026).split('-');
  return { algus_kpv: `${day}.${month}.${year}`, lopp_kpv: null };
}

function makeOfficers(chance: Chance, known: readonly Company[]): Item {
  const persons = Array.from({ length: chance.between(0, 3) }, () => {
    const [code, label] = chance.pick(OFFICERS);
    return { ...makePerson(chance), isiku_roll: code, isiku_roll_tekstina: label, ...makePeriod(chance) };
  });
  const contact = { isiku_roll: 'KISIK', isiku_roll_tekstina: 'Kontaktisik', ...makePeriod(chance) };
  return {
    kaardile_kantud_isikud: [
      ...persons,
      ...(chance.is(0.2) ? [{ ...makeOrganisation(chance, known), ...contact }] : []),
    ],
    esindusoiguse_eritingimused: [],
    hooneyhistu_liikmed: chance.is(0.02) ? [{ ...makePerson(chance), ...makePeriod(chance) }] : [],
  };
}

function makeShareholders(chance: Chance, known: readonly Company[]): Item {
  const count = chance.between(0, 3);
  const percent = (100 / Math.max(count, 1)).toFixed(2);
  const owners = Array.from({ length: count }, () => ({
    ...(chance.is(0.3) ? makeOrganisation(chance, known) : makePerson(chance)),
    isiku_roll: chance.pick(['OSAN', 'OSAN', 'O']),
    isiku_roll_tekstina: 'Osanik',
    osaluse_protsent: chance.is(0.1) ? percent.replace('.', ',') : percent,
    osaluse_suurus: '2500.00',
    osaluse_valuuta: 'EUR',
    osaluse_omandiliik: chance.is(0.95) ? 'L' : 'Y',
    ...makePeriod(chance),
  }));
  return { osanikud: owners, osapandid_tingimuslikud_voorandamised: [] };
}

function makeOthers(chance: Chance, known: readonly Company[]): Item {
  const auditor = { isiku_roll: 'AUD', isiku_roll_tekstina: 'Audiitor', ...makePeriod(chance) };
  const member = { isiku_roll: 'N', isiku_roll_tekstina: 'Nõukogu liige', ...makePeriod(chance) };
  return {
    kaardivalised_isikud: [
      ...(chance.is(0.2) ? [{ ...makePerson(chance), ...member }] : []),
      ...(chance.is(0.1) ? [{ ...makeOrganisation(chance, known), ...auditor }] : []),
    ],
  };
}

/** The files of the parties of so many companies, by set. */
export function generateParties(rows: number, seed: number): Readonly<Record<string, SyntheticFile>> {
  const describe = (file: string, make: typeof makeOfficers): SyntheticFile => ({
    name: `ettevotja_rekvisiidid__${file}.json.zip`,
    packing: 'zip',
    content: {
      type: 'json',
      layout: 'array',
      values: { [Symbol.iterator]: () => generateCompanies(rows, seed, make) },
    },
  });
  return {
    officers: describe('kaardile_kantud_isikud', makeOfficers),
    off_card: describe('kandevalised_isikud', makeOthers),
    shareholders: describe('osanikud', makeShareholders),
  };
}
