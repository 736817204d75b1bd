/** Finds the code of a country by the name that a register writes, as `countryCode` of an address abroad. */
import { fold } from '../core/fold.ts';

/** ISO 3166-1 alpha-2. */
const CODES = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF ' +
  'CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG ' +
  'GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP ' +
  'KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC ' +
  'NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ ' +
  'SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN ' +
  'VU WF WS YE YT ZA ZM ZW'
).split(' ');

/** Names that registers write and the Unicode locale data lacks, as `simplify` writes them. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  AI: 'anguilla',
  BA: 'bosnia herzegovina|bosnie herzegovine',
  BF: 'burkina faso',
  BH: 'bahrein|bahrain',
  BY: 'bielo russia rep da|bielorussia',
  BZ: 'belise|belize',
  CG: 'congo republic|republic of congo',
  CD: 'congo democratic republic|congo democratische republiek|congo republique democratique|zaire',
  CI: 'ivory coast|costa do marfim',
  CZ: 'czech republic|tsjechische republiek|republique tcheque|republica ceha|republica tcheca|theca republica',
  ES: 'espana',
  GB:
    'england|scotland|wales|northern ireland|great britain|england and wales|england wales|engeland|schotland|' +
    'groot brittannie|noord ierland|grande bretagne|angleterre|ecosse|irlande du nord|marea britanie|anglia|inglaterra',
  HK: 'hong kong|hongkong',
  IE: 'republic of ireland|eire|ireland republic of',
  IR: 'ira|iran islamic republic of',
  KP: 'korea democratic people s republic of|coreia reppopdemocratica',
  KR: 'korea republic of|republic of korea|coreia republica da|korea zuid',
  KW: 'coveite',
  KZ: 'casaquistao',
  LU: 'groothertogdom luxemburg|grand duche de luxembourg',
  MD: 'moldavia|moldavie|moldavie republiek|moldavia moldava rep da',
  MK: 'macedonia|macedonie',
  MO: 'macau|macao',
  MY: 'malaisia|malaysia',
  NL: 'the netherlands|holland|olanda|pays bas hollande',
  RU: 'russian federation|russische federatie|federation de russie|federatia rusa',
  SC: 'seychelles',
  SG: 'cingapura|singapore',
  SK: 'slovak republic|slowaakse republiek|eslovaca republica|slovaca republica',
  SZ: 'swaziland|suazilandia',
  TR: 'turkey|turkije|turquie',
  TW: 'taiwan|formosa',
  US: 'united states of america|usa|verenigde staten van amerika|etats unis d amerique|statele unite|sua|estados unidos da america',
  VG: 'virgin islands british|virgens ilhas britanicas',
  VI: 'virgin islands us|us virgin islands|virgens ilhas eua',
};

type Names = ReadonlyMap<string, string>;
const known = new Map<string, Names>();

/**
 * The code of the country with this name in one of the languages (ISO 639-1). A name in parentheses or after a comma may
 * be part of it: `Duitsland (Bondsrep.)`, `Cayman, Ilhas`. Null if the text is not the name of one country.
 */
export function findCountryCode(name: string, languages: readonly string[]): string | null {
  const names = known.getOrInsertComputed(languages.join(), () => readNames(languages));
  const short = name.replace(/\([^)]*\)?/g, ' ');
  const [before = '', after = ''] = short.split(',', 2);
  for (const text of [name, short, `${after} ${before}`, before]) {
    const code = names.get(simplify(text));
    if (code !== undefined) return code;
  }
  return null;
}

/** From the Unicode locale data that Node includes. */
function readNames(languages: readonly string[]): Names {
  const names = new Map<string, string>();
  for (const code of CODES) {
    for (const language of languages) {
      for (const style of ['long', 'short'] as const) {
        const name = new Intl.DisplayNames([language], { type: 'region', style }).of(code);
        if (name !== undefined) names.set(simplify(name), code);
      }
    }
    for (const name of OTHER_NAMES[code]?.split('|') ?? []) names.set(name, code);
  }
  return names;
}

/** Words only: registers differ in case, accents, hyphens and dots. */
function simplify(text: string): string {
  return fold(text)
    .replaceAll('.', '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
