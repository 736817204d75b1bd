import { lt } from '../../../src/registers/lt/register.ts';
import { type CodeList, listOtherNumbers, mapWith, parseCases, readStatus, type Without } from './code-list.ts';

/** The table `formos_statusai/Statusas` of the data API, and 999, which a derived data set has. */
const STATUSES = `
0  Teisinis statusas neįregistruotas = active
1  Reorganizuojamas = active
2  Dalyvaujantis reorganizavime = active
3  Pertvarkomas = active
4  Restruktūrizuojamas = insolvent
5  Bankrutuojantis = insolvent
6  Bankrutavęs = insolvent
7  Likviduojamas = in_liquidation
8  Dalyvaujantis atskyrime = active
9  Inicijuojamas likvidavimas = in_liquidation
10  Išregistruotas = dissolved
11  Likviduotas = dissolved
12  Nepersiregistravęs = inactive
13  Bankrutuojantis = insolvent
16  Inicijuojantis Europos bendrovės steigimą jungimosi būdu = active
17  Inicijuojantis Europos bendrovės steigimą valdymo (holdingo) būdu = active
18  Europos bendrovė, kurios buveinė yra perkeliama = active
19  Inicijuojantis Europos kooperatinės bendrovės steigimą jungimosi būdu = active
20  Europos kooperatinė bendrovė, kurios buveinė perkeliama = active
21  Jungiama, peržengiant vienos valstybės ribas, akcinė bendrovė ar uždaroji akcinė bendrovė = active
22  Dalyvaujanti vienos valstybės ribas peržengiančiame jungimesi AB ar UAB = active
23  Jungiamas peržengiant vienos valstybės ribas juridinis asmuo = active
24  Dalyvaujantis jungimesi peržengiant vienos valstybės ribas juridinis asmuo = active
25  Perkeliantis buveinę = active
26  Likviduojamas dėl bankroto = insolvent
27  Jungiama peržengiant vienos valstybės ribas bendrovė = active
28  Dalyvaujanti vienos valstybės ribas peržengiančiame jungimesi bendrovė = active
29  Pertvarkoma peržengiant vienos valstybės ribas bendrovė = active
30  Skaidoma peržengiant vienos valstybės ribas bendrovė = active
999  Nenustatytas = unknown
`;
/** The CSV abbreviates long texts, and two texts of the API have no known code. */
const OTHER_TEXTS = `
Teisinis stat neįregistruotas = active
Jungiama peržengiant 1 valstyb = active
Skaidoma peržengiant 1 valst = active
JA jung peržengiant 1 valst = active
Inic. EB jungimosi būdu = active
Dalyvaujanti 1 valst jungimesi = active
Inicijuojantis kontroliuojančiosios Europos bendrovės steigimą = active
Perkeliantis buveinę į kitą valstybę = active
`;
const codes = parseCases(STATUSES.replace(/^(\d+) {2}.* = /gm, '$1 = '));
const listed = parseCases(STATUSES.replace(/^\d+ {2}/gm, '')).filter(
  ([text], index, all) => all.findIndex(([other]) => other === text) === index,
);
const texts = [
  ...listed,
  ...parseCases(OTHER_TEXTS),
  ...listed.map(([text, status]) => [` ${text.toUpperCase()} `, status] as const),
];

const map = (source: string, column: string) =>
  mapWith(lt, source, {}, (value) => ({ row: { ja_pavadinimas: 'Pelėda', [column]: value } }), readStatus);
const unknownTexts = { values: ['Naujas', 'Likviduojama', 'Bankrutavo'], shown: 'unknown', reported: true };

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: map('JAR_IREGISTRUOTI', 'stat_kodas'),
    cases: codes,
    others: {
      values: listOtherNumbers(2, [])
        .map((number) => String(Number(number)))
        .filter((code) => codes.every(([known]) => known !== code)),
      shown: 'unknown',
      reported: true,
    },
  },
  { list: 'status', map: map('JAR_IREGISTRUOTI', 'stat_pavadinimas'), cases: texts, others: unknownTexts },
  { list: 'status', map: map('JuridinisAsmuo (CSV)', 'statusas.kodas'), cases: codes },
  { list: 'status', map: map('JuridinisAsmuo (CSV)', 'statusas.pavadinimas'), cases: texts, others: unknownTexts },
  { list: 'status', map: map('JuridinisAsmuo (JSON)', 'statusas.pavadinimas'), cases: texts },
];

export const without: Without = {
  legalForm: 'the files have the text of every form',
  role: 'the files have no persons',
};
