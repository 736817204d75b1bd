/** The invented companies of the simple data as objects of the general data, with details that only this file has. */
import type { Json } from '../../src/registers/contract.ts';
import { listColumns } from '../../src/registers/contract.ts';
import { type Chance, createChance } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';
import { generateRows } from './ee.ts';

const FORM_CODES: Readonly<Record<string, string>> = {
  Osaühing: 'OÜ',
  Korteriühistu: 'KÜ',
  'Füüsilisest isikust ettevõtja': 'FIE',
  Mittetulundusühing: 'MTÜ',
  Usaldusühing: 'UÜ',
  Aktsiaselts: 'AS',
  Sihtasutus: 'SA',
  Tulundusühistu: 'TÜH',
  Täisühing: 'TÜ',
};
/** Code, label, edition of EMTAK, NACE code. */
const ACTIVITIES = [
  ['62011', 'Programmeerimine', 'EMTAK 2008', '62.01'],
  ['62101', 'Programmeerimine', 'EMTAK 2025', '62.10'],
  ['68201', 'Enda või renditud kinnisvara üürileandmine ja käitus', 'EMTAK 2008', '68.20'],
  ['56111', 'Toitlustamine restoranides', 'EMTAK 2025', '56.11'],
] as const;

const COLUMNS = listColumns('ee', 'lihtandmed (CSV)');

function* generateCompanies(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed + 1);
  for (const cells of generateRows(rows, seed)) {
    const text = (column: string) => cells[COLUMNS.indexOf(column)] ?? '';
    yield {
      ariregistri_kood: Number(text('ariregistri_kood')),
      nimi: text('nimi'),
      yldandmed: {
        esmaregistreerimise_kpv: text('ettevotja_esmakande_kpv'),
        staatus: text('ettevotja_staatus'),
        staatus_tekstina: text('ettevotja_staatus_tekstina'),
        oiguslik_vorm: FORM_CODES[text('ettevotja_oiguslik_vorm')] ?? '',
        oiguslik_vorm_tekstina: text('ettevotja_oiguslik_vorm'),
        tegutseb_tekstina: chance.pick(['Jah', 'Jah', 'Ei']),
        piirkond_tekstina: 'Tartu Maakohtu registriosakond',
        staatused: [
          {
            staatus: text('ettevotja_staatus'),
            staatus_tekstina: text('ettevotja_staatus_tekstina'),
            algus_kpv: text('ettevotja_esmakande_kpv'),
          },
        ],
        aadressid: [...(text('asukoha_ehak_kood') === '' ? [] : [makeAddress(text)]), ...makePastAddress(chance)],
        ...makeLists(chance, text('nimi')),
      },
    };
  }
}

function makeAddress(text: (column: string) => string): Json {
  return {
    riik: 'EST',
    riik_tekstina: 'Eesti',
    ehak: text('asukoha_ehak_kood'),
    ehak_nimetus: text('asukoha_ehak_tekstina'),
    tanav_maja_korter: text('asukoht_ettevotja_aadressis'),
    postiindeks: text('indeks_ettevotja_aadressis'),
    aadress_ads__ads_normaliseeritud_taisaadress: text('ads_normaliseeritud_taisaadress'),
    lopp_kpv: null,
  };
}

function makePastAddress(chance: Chance): Json[] {
  if (!chance.is(0.2)) return [];
  const place = { riik: 'EST', riik_tekstina: 'Eesti', ehak: '0663', ehak_nimetus: 'Rakvere linn, Lääne-Viru maakond' };
  return [{ ...place, tanav_maja_korter: `Pikk tn ${chance.between(1, 90)}`, lopp_kpv: '01.03.2019' }];
}

function makeLists(chance: Chance, name: string): { [key: string]: Json } {
  const [code, label, edition, nace] = chance.pick(ACTIVITIES);
  const activity = {
    emtak_kood: code,
    emtak_tekstina: label,
    emtak_versioon_tekstina: edition,
    nace_kood: nace,
    on_pohitegevusala: true,
    algus_kpv: '01.01.2020',
    lopp_kpv: chance.is(0.1) ? '31.12.2023' : null,
  };
  const former = { sisu: `Vana ${name}`, algus_kpv: '02.01.2000', lopp_kpv: '02.05.2018' };
  const year = { majandusaasta_perioodi_algus_kpv: '01.01.2025', majandusaasta_perioodi_lopp_kpv: '31.12.2025' };
  return {
    arinimed: [...(chance.is(0.1) ? [former] : []), { sisu: name, algus_kpv: '02.05.2018', lopp_kpv: null }],
    sidevahendid: [
      { liik: 'EMAIL', sisu: `info${chance.between(1, 999)}@ettevote.example` },
      { liik: chance.pick(['MOB', 'TEL', 'FAX']), sisu: `+372 5${chance.between(100_000, 999_999)}` },
      { liik: chance.pick(['WWW', 'MUU']), sisu: 'www.ettevote.example' },
    ],
    teatatud_tegevusalad: [activity],
    kapitalid: [{ kapitali_suurus: chance.pick(['2500.00', '0.01', '25000']), kapitali_valuuta: 'EUR' }],
    info_majandusaasta_aruannetest: [{ ...year, tootajate_arv: String(chance.between(0, 40)) }],
  };
}

/** A file in the other layout of the publisher. */
export function generateOtherFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'ettevotja_rekvisiidid__yldandmed.json.zip',
    packing: 'zip',
    content: { type: 'json', layout: 'array', values: generateCompanies(rows, seed) },
  };
}
