import { cz } from '../../../src/registers/cz/register.ts';
import {
  type CodeList,
  listOtherNumbers,
  mapWith,
  parseCases,
  readFormLabel,
  readStatus,
  type Without,
} from './code-list.ts';

/** List 56 of the statistical office: the forms in use. */
const FORMS = `
101  Fyzická osoba podnikající dle živnostenského zákona
105  Fyzická osoba podnikající dle jiných zákonů než živnostenského a zákona o zemědělství
107  Zemědělský podnikatel - fyzická osoba
111  Veřejná obchodní společnost
112  Společnost s ručením omezeným
113  Společnost komanditní
115  Společný podnik
116  Zájmové sdružení
117  Nadace
118  Nadační fond
121  Akciová společnost
141  Obecně prospěšná společnost
145  Společenství vlastníků jednotek
151  Komoditní burza
161  Ústav
205  Družstvo
301  Státní podnik
313  Česká národní banka
325  Organizační složka státu
326  Stálý rozhodčí soud
331  Příspěvková organizace
332  Státní příspěvková organizace
352  Státní organizace Správa železnic
353  Rada pro veřejný dohled nad auditem
361  Veřejnoprávní instituce (ČT,ČRo,ČTK)
381  Fond (ze zákona)
382  Státní fond ze zákona nezapisující se do obchodního rejstříku
391  Zdravotní pojišťovna
421  Odštěpný závod zahraniční právnické osoby
422  Organizační složka zahraničního nadačního fondu
423  Organizační složka zahraniční nadace
424  Zahraniční fyzická osoba
425  Odštěpný závod zahraniční fyzické osoby
426  Zastoupení zahraniční banky
501  Odštěpný závod nebo jiná organizační složka podniku zapisující se do obchodního rejstříku
521  Samostatná drobná provozovna obecního úřadu
541  Podílový, penzijní fond
601  Vysoká škola (veřejná, státní)
641  Školská právnická osoba
661  Veřejná výzkumná instituce
704  Zvláštní organizace pro zastoupení českých zájmů v mezinárodních nevládních organizacích
705  Podnik nebo hospodářské zařízení sdružení
706  Spolek
707  Odborová organizace
708  Organizace zaměstnavatelů
711  Politická strana, politické hnutí
715  Podnik nebo hospodářské zařízení politické strany
721  Církve a náboženské společnosti
722  Evidované církevní právnické osoby
723  Svazy církví a náboženských společností
733  Organizační jednotka odborové organizace a organizace zaměstnavatelů
736  Pobočný spolek
741  Stavovská organizace - profesní komora
745  Komora (s výjimkou profesních komor)
751  Zájmové sdružení právnických osob
761  Honební společenstvo
771  Dobrovolný svazek obcí
801  Obec nebo městská část hlavního města Prahy
804  Kraj a hl.m.Praha
901  Zastupitelský orgán jiných států
906  Zahraniční spolek
907  Mezinárodní odborová organizace
908  Mezinárodní organizace zaměstnavatelů
911  Zahraniční kulturní, informační středisko, rozhlasová, tisková a televizní agentura
921  Mezinárodní nevládní organizace
922  Organizační jednotka mezinárodní nevládní organizace
931  Evropské hospodářské zájmové sdružení
932  Evropská společnost
933  Evropská družstevní společnost
936  Zahraniční pobočný spolek
941  Evropské seskupení pro územní spolupráci
950  Subjekt právním řádem výslovně neupravený
951  Mezinárodní vojenská organizace vzniklá na základě mezinárodní smlouvy
952  Konsorcium evropské výzkumné infrastruktury
960  Právnická osoba zřízená zvláštním zákonem zapisovaná do veřejného rejstříku
961  Svěřenský fond
`;
/** Not in every edition of the list. */
const OLD_FORMS = `
734  Organizační jednotka zvláštní organizace pro zastoupení českých zájmů v mezinárodních nevládních organizacích
`;
/** List 579: classes by number of employees. */
const SIZES = `
000  -
110  0-0
120  1-5
130  6-9
210  10-19
220  20-24
230  25-49
240  50-99
310  100-199
320  200-249
330  250-499
340  500-999
410  1000-1499
420  1500-1999
430  2000-2499
440  2500-2999
450  3000-3999
460  4000-4999
470  5000-9999
510  10000-
`;
const forms = [...parseCases(FORMS), ...parseCases(OLD_FORMS)];
const sizes = parseCases(SIZES);
const subject = (fields: { readonly [column: string]: string }) => ({
  row: { ICO: '00000019', FIRMA: 'Drak', ...fields },
});

export const codeLists: readonly CodeList[] = [
  {
    list: 'legalForm',
    map: mapWith(cz, 'res_data', {}, (FORMA) => subject({ FORMA }), readFormLabel),
    cases: [...forms, ...forms.map(([code, label]) => [` ${code} `, label] as const)],
    others: { values: listOtherNumbers(3, forms), shown: null, reported: true },
  },
  {
    list: 'status',
    map: mapWith(cz, 'res_data', {}, (DDATZAN) => subject({ DDATZAN }), readStatus),
    cases: [
      ['', 'active'],
      [' ', 'active'],
      ['2020-01-31', 'dissolved'],
    ],
  },
  {
    list: 'status',
    map: mapWith(cz, 'res_data', {}, (FIRMA) => subject({ FIRMA }), readStatus),
    cases: [
      ['Drak s.r.o.', 'active'],
      ['Drak s.r.o. v likvidaci', 'in_liquidation'],
      ['Drak s.r.o., V LIKVIDACI', 'in_liquidation'],
      ['Drak s.r.o. "v likvidaci"', 'in_liquidation'],
      ['Drak s.r.o. (v likvidaci)', 'in_liquidation'],
      ['v likvidaci draků s.r.o.', 'active'],
      ['Nov likvidaci', 'active'],
    ],
  },
  {
    list: 'size',
    map: mapWith(
      cz,
      'res_data',
      {},
      (KATPO) => subject({ KATPO }),
      ({ registry: { employees } }) =>
        employees === undefined ? null : `${employees.from ?? ''}-${employees.to ?? ''}`,
    ),
    cases: sizes,
    others: { values: listOtherNumbers(3, sizes), shown: '-', reported: true },
  },
];

export const without: Without = { role: 'bodies and members are in the public register' };
