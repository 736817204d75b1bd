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
  AE: 'uae',
  AG: 'antigua',
  AI: 'anguilla',
  AS: 'ameriksamoaeilanden|somoa americana',
  BA: 'bosnia herzegovina|bosnie herzegovine|bosnie herzegovina',
  BF: 'burkina faso',
  BH: 'bahrein|bahrain',
  BM: 'bermuda s',
  BN: 'brunei darussalam',
  BS: 'the bahamas',
  BY: 'bielo russia rep da|bielorussia|bielorusland',
  BZ: 'belise|belize',
  CC: 'cocos ilhas',
  CF: 'centraalafrikaanse republiek',
  CG: 'congo republic|republic of congo|congo volksrep|congo rep pop',
  CD:
    'congo democratic republic|congo democratische republiek|congo republique democratique|zaire|congo dem rep|congo rep dem|' +
    'dr congo|rd congo|democratic republic of congo|democratic republic of the congo|congo the democratic republic of the|' +
    'congo democratic republic of the|republique democratique du congo',
  CI: 'ivory coast|costa do marfim',
  CK: 'cook',
  CV: 'kaapverdische eilanden|cap vert iles du|cape verde|cabo verde',
  CX: 'christmas ilhas',
  CZ: 'czech republic|tsjechische republiek|republique tcheque|republica ceha|republica tcheca|theca republica',
  DJ: 'republiek djibouti|republique de djibouti',
  DO: 'dominikaanse republiek|dominicaine rep',
  EG: 'arabische republiek egypte|rep arabe d egypte',
  ER: 'erithrea',
  ES: 'espana',
  FK: 'falkland eilanden|iles falkland|falkland ilhas malvinas|falkland islands malvinas',
  FM: 'micronisia|micronesia federated states of',
  FO: 'feroe ilhas',
  GB:
    'england|scotland|wales|northern ireland|great britain|england and wales|england wales|engeland|schotland|' +
    'groot brittannie|noord ierland|grande bretagne|angleterre|ecosse|irlande du nord|marea britanie|anglia|inglaterra',
  GL: 'le groenland',
  GM: 'the gambia',
  GP: 'la guadeloupe',
  HK: 'hong kong|hongkong|china hongkong sar|chine hong kong sar|china hong kong sar',
  IE: 'republic of ireland|eire|ireland republic of',
  IO: 'territorio britanico no oceano indico',
  IR: 'ira|iran islamic republic of',
  KG: 'kirgizstan|kirghizie|quirguizia republica da',
  KI: 'gilberteilanden|iles gilbert|kiribati',
  KM: 'archipel van de comoren|archipel des comores',
  KN: 'st kitts en nevis|st kitts et nevis|sao cristovao e neves',
  KP: 'korea democratic people s republic of|coreia reppopdemocratica',
  KR: 'korea republic of|republic of korea|coreia republica da|korea zuid|korea rep',
  KW: 'coveite',
  KY: 'caimanes',
  KZ: 'casaquistao',
  LA: 'lao people s democratic republic',
  LC: 'republiek sint lucia|republique de sainte lucie',
  LU: 'groothertogdom luxemburg|grand duche de luxembourg',
  MD: 'moldavia|moldavie|moldavie republiek|moldavia moldava rep da',
  MG: 'democratische republ madagascar|repdemocrat de madagascar',
  MH: 'marshall ilha',
  MK: 'macedonia|macedonie|macedoine',
  MM: 'burma',
  MO: 'macau|macao|china macau sar|chine macao sar|china macao sar',
  MP: 'marianas do norte',
  MQ: 'la martinique',
  MS: 'monserrat',
  MW: 'malavi',
  MY: 'malaisia|malaysia',
  NL: 'the netherlands|holland|olanda|pays bas hollande',
  OM: 'sultanaat oman|sultanat d oman',
  PF: 'polynesie',
  PG: 'nieuw guinea papoua',
  PM: 'sao pedro e miquellon',
  PN: 'pitcairn|pitcairn ilha de',
  PR: 'porto rico eiland',
  RU: 'russian federation|russische federatie|federation de russie|federatia rusa',
  SB: 'salomoneilanden',
  SC: 'seychelles',
  SG: 'cingapura|singapore',
  SH: 'saint helena|saint helena ascension and tristan da cunha',
  SK: 'slovak republic|slowaakse republiek|eslovaca republica|slovaca republica',
  SR: 'surinam',
  SY: 'syrian arab republic',
  SZ: 'swaziland|suazilandia|ngwane',
  TC: 'turks en caicos eilanden|iles turks et caicos',
  TK: 'toquelau',
  TL: 'timor oriental|east timor',
  TR: 'turkey|turkije|turquie',
  TT: 'trinidad et tobago',
  TW: 'taiwan|formosa|china taiwan|chine taiwan',
  US: 'united states of america|usa|verenigde staten van amerika|etats unis d amerique|statele unite|sua|estados unidos da america',
  VA: 'heilige stoel|saint siege|holy see',
  VC: 'saint vincent',
  VG: 'virgin islands british|virgens ilhas britanicas',
  VI: 'virgin islands us|us virgin islands|virgens ilhas eua',
  VN: 'socialistische republiek vietnam|republique socialiste du vietnam|viet nam',
  WF: 'wallis e futurna ilhas',
  WS: 'west samoa|samoa occidentales',
};

type Names = ReadonlyMap<string, string>;
const known = new Map<string, Names>();

/**
 * The code of the country with this name in one of the languages (ISO 639-1). A name in parentheses or after a comma may
 * be part of it: `Duitsland (Bondsrep.)`, `Monaco /Vorstendom/`, `Cayman, Ilhas`. Null if the text is not the name of one country.
 */
export function findCountryCode(name: string, languages: readonly string[]): string | null {
  const names = known.getOrInsertComputed(languages.join(), () => readNames(languages));
  const short = name.replace(/\([^)]*\)?|\/[^/]*\//g, ' ');
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
