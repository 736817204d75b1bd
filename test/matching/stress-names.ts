/**
 * Pairs of names as people and registers write them, invented for this test. A line: country | asked | the company's name | former name.
 * All companies are in one index, with many others around them.
 */
const SAME = `
UA | Shchedryk Ahro | ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ "ЩЕДРИК АГРО"
UA | Schedrik Agro LLC | ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ "ЩЕДРИК АГРО"
UA | Щедрик-Агро ТОВ | ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ "ЩЕДРИК АГРО"
UA | ТзОВ Щедрік Агро | ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ "ЩЕДРИК АГРО"
UA | Khlibodar-Zakhid | ПРИВАТНЕ ПІДПРИЄМСТВО "ХЛІБОДАР-ЗАХІД"
UA | Hlibodar Zahid | ПРИВАТНЕ ПІДПРИЄМСТВО "ХЛІБОДАР-ЗАХІД"
UA | ПП Хлібодар Захід | ПРИВАТНЕ ПІДПРИЄМСТВО "ХЛІБОДАР-ЗАХІД"
UA | Zelenyi Hai FH | ФЕРМЕРСЬКЕ ГОСПОДАРСТВО "ЗЕЛЕНИЙ ГАЙ ПЛЮС"
UA | Zeleniy Gay Plus | ФЕРМЕРСЬКЕ ГОСПОДАРСТВО "ЗЕЛЕНИЙ ГАЙ ПЛЮС"
UA | ФГ "Зелений гай плюс" | ФЕРМЕРСЬКЕ ГОСПОДАРСТВО "ЗЕЛЕНИЙ ГАЙ ПЛЮС"
UA | Yuzhmetiz | ПРИВАТНЕ АКЦІОНЕРНЕ ТОВАРИСТВО "ЮЖМЕТИЗ"
UA | PJSC Juzhmetiz | ПРИВАТНЕ АКЦІОНЕРНЕ ТОВАРИСТВО "ЮЖМЕТИЗ"
UA | Chornomorski Tsukerky | ТОВ "ЧОРНОМОРСЬКІ ЦУКЕРКИ"
UA | Chernomorski cukerki | ТОВ "ЧОРНОМОРСЬКІ ЦУКЕРКИ"
UA | Жовтобрюх та партнери | АДВОКАТСЬКЕ ОБ'ЄДНАННЯ "ЖОВТОБРЮХ І ПАРТНЕРИ"
UA | Zhovtobriukh i Partnery | АДВОКАТСЬКЕ ОБ'ЄДНАННЯ "ЖОВТОБРЮХ І ПАРТНЕРИ"
BG | Vazrazhdane Tekstil OOD | ВЪЗРАЖДАНЕ ТЕКСТИЛ ООД
BG | Възраждане-текстил | ВЪЗРАЖДАНЕ ТЕКСТИЛ ООД
RU | OOO Snezhinka Servis | ОБЩЕСТВО С ОГРАНИЧЕННОЙ ОТВЕТСТВЕННОСТЬЮ "СНЕЖИНКА СЕРВИС"
RU | Snejinka Service LLC | ОБЩЕСТВО С ОГРАНИЧЕННОЙ ОТВЕТСТВЕННОСТЬЮ "СНЕЖИНКА СЕРВИС"
RU | Zhigulevskij Komp'yuternyj Tsentr | АО ЖИГУЛЕВСКИЙ КОМПЬЮТЕРНЫЙ ЦЕНТР
RU | АО «Жигулёвский компьютерный центр» | АО ЖИГУЛЕВСКИЙ КОМПЬЮТЕРНЫЙ ЦЕНТР
GB | Юганскстрой | YUGANSKSTROY TRADING LTD
GR | Alevroviomichania Thessalias SA | ΑΛΕΥΡΟΒΙΟΜΗΧΑΝΙΑ ΘΕΣΣΑΛΙΑΣ ΑΕ
GR | Αλευροβιομηχανία Θεσσαλίας | ΑΛΕΥΡΟΒΙΟΜΗΧΑΝΙΑ ΘΕΣΣΑΛΙΑΣ ΑΕ
GR | Ellinika Psygeia | ΕΛΛΗΝΙΚΑ ΨΥΓΕΙΑ ΙΚΕ
GR | Hellinika Psigeia IKE | ΕΛΛΗΝΙΚΑ ΨΥΓΕΙΑ ΙΚΕ
LV | Kekavas Putnkopis SIA | Sabiedrība ar ierobežotu atbildību "ĶEKAVAS PUTNKOPIS"
LV | SIA Ķekavas putnkopis | Sabiedrība ar ierobežotu atbildību "ĶEKAVAS PUTNKOPIS"
LV | Ziemelu Jurnieks | SIA "ZIEMEĻU JŪRNIEKS"
LV | ziemeļu jurneks, SIA | SIA "ZIEMEĻU JŪRNIEKS"
LT | Zaliasis Azuolynas UAB | UAB „ŽALIASIS ĄŽUOLYNAS“
LT | uždaroji akcinė bendrovė Žaliasis ąžuolynas | UAB „ŽALIASIS ĄŽUOLYNAS“
LT | Klaipedos zuvis ir partneriai | UAB "KLAIPĖDOS ŽUVIS IR PARTNERIAI"
LT | Klaipėdos žuvis, partneriai | UAB "KLAIPĖDOS ŽUVIS IR PARTNERIAI"
EE | Ounapuu Mois OU | Õunapuu Mõis OÜ
EE | Õunapuumõis osaühing | Õunapuu Mõis OÜ
EE | OÜ Pärnumaa Kivi ja Liiv | Pärnumaa Kivi & Liiv OÜ
EE | Paernumaa Kivi Liiv | Pärnumaa Kivi & Liiv OÜ
FI | Haemeen Saeilyketehdas Oy | Hämeen Säilyketehdas Oy
FI | Oy Hämeen Säilyketehdas Ab | Hämeen Säilyketehdas Oy
FI | Hameen sailyke tehdas | Hämeen Säilyketehdas Oy
FI | Järvenpään Rakennus ja Remontti Osakeyhtiö | Järvenpään Rakennus & Remontti Oy
NO | Bjoernstad Sjoemat AS | BJØRNSTAD SJØMAT AS
NO | Bjornstad Sjomat | BJØRNSTAD SJØMAT AS
NO | Bjørnstad Sjomat Aksjeselskap | BJØRNSTAD SJØMAT AS
NO | Aalgaard Trevarefabrikk | ÅLGÅRD TREVAREFABRIKK AS
NO | Algard Trevarefabrik AS | ÅLGÅRD TREVAREFABRIKK AS
NO | Trevarefabrikk Ålgård | ÅLGÅRD TREVAREFABRIKK AS
NO | Ø. Hvaleroy Transport | ØYSTEIN HVALERØY TRANSPORT AS
DK | Soenderjysk Koeleteknik ApS | Sønderjysk Køleteknik ApS
DK | Sonderjysk Koleteknik anpartsselskab | Sønderjysk Køleteknik ApS
SE | Goeteborgs Roerlaeggare AB | Göteborgs Rörläggare AB
SE | AB Göteborgs Rörläggare | Göteborgs Rörläggare AB
SE | Öhmans Kött & Fisk | Öhmans Kött och Fisk Aktiebolag
CZ | Zdarske Strojirny a.s. | Žďárské strojírny, a.s.
CZ | ZDARSKE STROJIRNY AKCIOVA SPOLECNOST | Žďárské strojírny, a.s.
CZ | Dvorakova cistirna spol s ro | Čistírna Dvořáková, spol. s r.o.
CZ | Pekařství Kolář a synové | Pekařství Kolář a synové s.r.o.
CZ | Pekarstvi Kolar & synove | Pekařství Kolář a synové s.r.o.
PL | Zaklady Miesne Lukowiak | Zakłady Mięsne Łukowiak Sp. z o.o.
PL | Łukowiak Zakłady Mięsne spółka z ograniczoną odpowiedzialnością | Zakłady Mięsne Łukowiak Sp. z o.o.
PL | Zakl. Miesne Lukowiak spzoo | Zakłady Mięsne Łukowiak Sp. z o.o.
PL | Brzeczyszczykiewicz i Syn | Brzęczyszczykiewicz i Syn sp.k.
RO | Stefanesti Agroprod SRL | ȘTEFĂNEȘTI AGROPROD S.R.L.
RO | S.C. ŞTEFĂNEŞTI AGRO PROD S.R.L. | ȘTEFĂNEȘTI AGROPROD S.R.L.
RO | Tarnaveni Mobila si Decor | TÂRNĂVENI MOBILĂ ȘI DECOR SRL
MD | Vinaria Tiganca SRL | Societatea cu Răspundere Limitată «VINĂRIA ȚIGANCA»
MD | Vinăria Ţiganca | Societatea cu Răspundere Limitată «VINĂRIA ȚIGANCA»
FR | Ets Legrandin | ETABLISSEMENTS LEGRANDIN
FR | Etablissement Legrandin SARL | ETABLISSEMENTS LEGRANDIN
FR | Transports Beauregardière | SOCIETE DES TRANSPORTS BEAUREGARDIERE
FR | Société de Transports Beauregardiere | SOCIETE DES TRANSPORTS BEAUREGARDIERE
FR | L'Oeuf Dore de Quimperlois | L'ŒUF DORÉ DE QUIMPERLOIS
FR | Oeuf doré quimperlois | L'ŒUF DORÉ DE QUIMPERLOIS
FR | Boulangerie Saint Corentinet | BOULANGERIE ST-CORENTINET
FR | Compagnie Fermière Vauxbrun S.A. | VAUXBRUN COMPAGNIE FERMIERE
BE | Vandenabeelput Brouwerij NV | BROUWERIJ VAN DEN ABEELPUT NV
BE | Brouwerij van den Abeelput naamloze vennootschap | BROUWERIJ VAN DEN ABEELPUT NV
BE | Imprimerie Dhondtveld sprl | IMPRIMERIE D'HONDTVELD SRL
DE | Weissenhorner Feinblech GmbH und Co KG | Weißenhorner Feinblech GmbH & Co. KG
DE | Muensterlaendische Backwaren | Münsterländische Backwaren GmbH
DE | Munsterlandische Backwaren Gesellschaft mit beschränkter Haftung | Münsterländische Backwaren GmbH
DE | Gebr. Poehlmannsdorf | Gebrüder Pöhlmannsdorf OHG
AT | Kaernthner Almkaeserei eGen | Kärnthner Almkäserei eGen
PT | Industria de Calcados Sao Lourencinho | INDÚSTRIA DE CALÇADOS SÃO LOURENCINHO LDA
BR | Calçados S. Lourencinho Indústria de Ltda | INDUSTRIA DE CALCADOS SAO LOURENCINHO LTDA
BR | Padaria Pao Quentinho do Jacui LTDA ME | PADARIA PÃO QUENTINHO DO JACUÍ LTDA
BR | Comercio de Tintas Arapiraquense | ARAPIRAQUENSE COMÉRCIO DE TINTAS LTDA
SG | Huaxinlong Engineering Pte Ltd | HUA XIN LONG ENGINEERING PTE. LTD.
SG | Hua Xinlong Engineering | HUA XIN LONG ENGINEERING PTE. LTD.
SG | Tan Ah Kuatsin Provision | TAN AH KUATSIN PROVISION SHOP PTE LTD
SG | Zhong Haiwei Shipping Private Limited | ZHONGHAIWEI SHIPPING PTE. LTD.
AU | Wagga Pumpworx | WAGGA PUMPWORX PTY LTD
AU | Wagga Pump Worx P/L | WAGGA PUMPWORX PTY LTD
AU | Kookaburrah Fencing Proprietary Limited | KOOKABURRAH FENCING PTY LTD
IE | Ballinskelly Creamery Teo | BALLINSKELLY CREAMERY TEORANTA
IE | O'Shaughnessyfield Meats | OSHAUGHNESSYFIELD MEATS LIMITED
IE | Kilmacowen Dairies DAC | KILMACOWEN DAIRIES DESIGNATED ACTIVITY COMPANY
GB | Thornwickshire Plumbing | THORNWICKSHIRE PLUMBING & HEATING SERVICES LIMITED
GB | Thornwickshire Plumbing and Heating Services Ltd | THORNWICKSHIRE PLUMBING & HEATING SERVICES LIMITED
GB | THORNWICKSHIRE PLUMBING & HEATING SE | THORNWICKSHIRE PLUMBING & HEATING SERVICES LIMITED
GB | Plumbing & Heating Thornwickshire | THORNWICKSHIRE PLUMBING & HEATING SERVICES LIMITED
GB | Thornwikshire Plumbing & Heeting | THORNWICKSHIRE PLUMBING & HEATING SERVICES LIMITED
GB | Garrowby Mills Ltd t/a The Loaf Shed | GARROWBY MILLS LTD
GB | The Loaf Shed (Garrowby Mills Limited) | GARROWBY MILLS LTD
GB | Garrowby Mills c/o Smith Accountants | GARROWBY MILLS LTD
GB | J. R. Pettigrewson & Sons | J R PETTIGREWSON AND SONS LIMITED
GB | JR Pettigrewson and Sons Ltd. | J R PETTIGREWSON AND SONS LIMITED
GB | J.R.PETTIGREWSON&SONS LTD | J R PETTIGREWSON AND SONS LIMITED
GB | North Wessex Zonal Transport | NWZT LIMITED
GB | North Wessex Quantity Tranport | NORTH WESSEX QUANTITY TRANSPORT LIMITED
GB | Quillbrook Mfg | QUILLBROOK MANUFACTURING LIMITED
GB | Quillbrook Manufactoring Co Ltd | QUILLBROOK MANUFACTURING LIMITED
GB | Quill Brook Manufacturing | QUILLBROOK MANUFACTURING LIMITED
GB | Quillbrok Manufacturing Limited | QUILLBROOK MANUFACTURING LIMITED
GB | 3rd Wave Kelpfarm | THIRD WAVE KELPFARM LTD
GB | Third Wave Kelp Farm Limited | THIRD WAVE KELPFARM LTD
GB | Kelpfarm Third Wave | THIRD WAVE KELPFARM LTD
GB | Zedcroft Fund 2 LP | ZEDCROFT FUND II LP
GB | Zedcroft Fund Two L.P. | ZEDCROFT FUND II LP
GB | Umberslade Glass | NEW CENTURY GLAZING LTD | UMBERSLADE GLASS LTD
GB | Umberslaid Glass Limited | NEW CENTURY GLAZING LTD | UMBERSLADE GLASS LTD
GB | New Century Glazing (formerly Umberslade Glass) | NEW CENTURY GLAZING LTD | UMBERSLADE GLASS LTD
GB | 24 7 Boilerfix | 24/7 BOILERFIX LIMITED
GB | 247 Boilerfix Ltd | 24/7 BOILERFIX LIMITED
GB | Boilerfix 24/7 | 24/7 BOILERFIX LIMITED
GB | Gmyx Joinery | GMX JOINERY LTD
GB | The Wyvernholt Partnership LLP | WYVERNHOLT LLP
GB | Wyvernholt Limited Liability Partnership | WYVERNHOLT LLP
CA | Les Aliments Boréalis Inc | ALIMENTS BOREALIS INC.
CA | Borealis Aliments Ltée | ALIMENTS BOREALIS INC.
CA | Tuktoyak Air Svcs | TUKTOYAK AIR SERVICES LTD.
CA | Tuktoyak Air o/a Polar Wings | TUKTOYAK AIR SERVICES LTD.
CA | 7654321 Canada Inc. | 7654321 CANADA INC.
CA | 7654321 CANADA LTD o/a Joe's Garage | 7654321 CANADA INC.
CA | Saskwatch International Corp (SIC) | SASKWATCH INTERNATIONAL CORP.
CA | Saskwatch Intl | SASKWATCH INTERNATIONAL CORP.
CA | SASKWATCH INTERNATIONL CORPORATION | SASKWATCH INTERNATIONAL CORP.
`;

/** The company asked for is not in the index: the other one must not be a match. */
const OTHER = `
GB | Brackendale Fund III LP | BRACKENDALE FUND IV LP
GB | Brackendale Fund | BRACKENDALE FUND IV LP
GB | Orrisdale Securities 2004-1 plc | ORRISDALE SECURITIES 2004-2 PLC
GB | Orrisdale Securities No. 3 plc | ORRISDALE SECURITIES 2004-2 PLC
GB | Peverelle Estates Two Limited | PEVERELLE ESTATES THREE LIMITED
GB | Peverelle Estates A Limited | PEVERELLE ESTATES B LIMITED
GB | 14 Marchmont Crescentia Management | 16 MARCHMONT CRESCENTIA MANAGEMENT LIMITED
GB | Glenmoorhead plc | GLENCORSEHEAD PLC
GB | Kestrelford Holdings of Leeds | KESTRELFORD HOLDINGS OF YORK LTD
GB | Bank of the Westermarch | BANK OF THE EASTERMARCH PLC
GB | First National Building Society | FIRST REPUBLIC BUILDING SOCIETY
GB | Management Company | WESTMORELANDER MANAGEMENT COMPANY LIMITED
GB | Holdings Ltd | DUNSANYBROOK HOLDINGS LTD
GB | Global Services | GLOBAL SERVICES GROUP LIMITED
GB | Dunsanybrook Properties Ltd | DUNSANYBROOK HOLDINGS LTD
GB | Dunsanybrook Farms | DUNSANYBROOK HOLDINGS LTD
GB | Dunsanybrook plc | DUNSANYBROOK LLP
GB | H Arendsdale Homes Ltd | H ROOSEDALE HOMES LTD
GB | J Blackwatertown Builders | T BLACKWATERTOWN BUILDERS LTD
GB | Smith & Tollemarche Solicitors | JONES & TOLLEMARCHE SOLICITORS LIMITED
GB | Ashbyfold Scaffolding (Kent) | ASHBYFOLD SCAFFOLDING (ESSEX) LIMITED
GB | Northern Quernstone Ltd | SOUTHERN QUERNSTONE LTD
GB | Upper Quernhill Dairy | LOWER QUERNHILL DAIRY LIMITED
GB | Old Penhallowick Brewery | NEW PENHALLOWICK BREWERY LTD
GB | ABQ Logistics Ltd | ABX LOGISTICS LTD
GB | ZKL Ltd | ZKP LTD
GB | Zanthor Ltd | ZANTHOR INTERNATIONAL UK LIMITED
GB | Vexley Germany | VEXLEY FRANCE LIMITED
GB | Vexley | VEXLEY FRANCE LIMITED
GB | Trevanionic Foods | TREVANIONIC FEEDS LTD
GB | Marlpost Timber | MARLPOST LIMBER LIMITED
GB | Hollin Court (Freehold) 2 Ltd | HOLLIN COURT (FREEHOLD) LTD
GB | Wexcombelow School PTA | WEXCOMBELOW SCHOOL TRUST
GB | Pinnerwood Park Residents | PINNERWOOD LODGE RESIDENTS LIMITED
GB | Mercia Dental | MERCIA MENTAL LIMITED
GB | Caldrose Care | CALDROSE CARS LTD
GB | 24 Boilerspan | 42 BOILERSPAN LIMITED
GB | Elmstow 100 Ltd | ELMSTOW 1000 LTD
UA | Колос-2 ТОВ Верховодне | ТОВ "КОЛОС-3 ВЕРХОВОДНЕ"
UA | Kolos Zoloty Step 1 | ТОВ "КОЛОС ЗОЛОТИЙ СТЕП 2"
UA | Світанок Полтавський | ТОВ "СВІТАНОК СУМСЬКИЙ"
UA | Агро Лан | ТОВ "АГРО ЛАН ТРЕЙД ХОЛДИНГ"
UA | ТОВ Будінвесткиївпроект | ПАТ "БУДІНВЕСТКИЇВПРОЕКТ"
UA | Зоряний Шлях Схід | ТОВ "ЗОРЯНИЙ ШЛЯХ ЗАХІД"
RU | Северстальинвест-1 | ООО СЕВЕРСТАЛЬИНВЕСТ-2
RU | OOO Vostokpromsnab | ОАО ВОСТОКПРОМСНАБ
GR | Ellinika Mylopoieia | ΕΛΛΗΝΙΚΑ ΜΕΤΑΛΛΕΙΑ ΑΕ
LV | SIA Rīgas Dzirnavnieks 1 | SIA "RĪGAS DZIRNAVNIEKS 2"
LV | AS Daugavkrasta Maize | SIA "DAUGAVKRASTA MAIZE"
LV | SIA Liepājas Sietnieks | SIA "VENTSPILS SIETNIEKS"
LT | Kauno Statybelė | UAB "VILNIAUS STATYBELĖ"
LT | UAB Šiaulių Grūdelis II | UAB „ŠIAULIŲ GRŪDELIS III“
EE | Tartu Saepuru OÜ | Narva Saepuru OÜ
EE | Saepuru Puit AS | Saepuru Puit OÜ
EE | Korteriühistu Männituka 5 | Korteriühistu Männituka 7
FI | Asunto Oy Kuusitarhantie 3 | Asunto Oy Kuusitarhantie 5
FI | Kiinteistö Oy Oulunrannikko | Kiinteistö Oy Turunrannikko
FI | Lapinharju Oy | Lapinkarju Tukku Oy
NO | Borettslaget Solbakkeveien 1 | BORETTSLAGET SOLBAKKEVEIEN 11
NO | Fjellheimstad Bygg AS | FJELLHEIMSTAD EIENDOM AS
NO | Østre Granliåsen Sameie | VESTRE GRANLIÅSEN SAMEIE
SE | Brf Tallbackaskogen 2 | Brf Tallbackaskogen 3
CZ | Společenství vlastníků Habrovanská 12 | Společenství vlastníků Habrovanská 21
CZ | STAVBY Lipinka s.r.o. | STAVBY Lipina Morava a.s.
CZ | Pekárna Vrchlabičko | Lékárna Vrchlabičko s.r.o.
CZ | Agro Kostelečno a.s. | AGRO KOSTELEČNO s.r.o.
PL | Wspólnota Mieszkaniowa Klonownicza 4 | Wspólnota Mieszkaniowa Klonownicza 14
PL | Hurtownia Zielonkowska | Przychodnia Zielonkowska sp. z o.o.
RO | Construct Dobrogeanul SRL | CONSTRUCT ARDELEANUL SRL
RO | Moara Vlăsceanca SA | MOARA VLĂSCEANCA S.R.L.
MD | Agro Codreanca 1 | SRL AGRO CODREANCA 2
FR | SCI Les Tilleulaies 2 | SCI LES TILLEULAIES 3
FR | Pharmacie Marcillacois | BOULANGERIE MARCILLACOIS
FR | Garage Dupontel Père | GARAGE DUPONTEL FRERES
FR | Banque Armoricaine de Lyonnais | BANQUE ARMORICAINE DE BORDELAIS
FR | SARL Vigneronde | SA VIGNERONDE
FR | SNC Residence Hauterivaine Nord | SNC RESIDENCE HAUTERIVAINE SUD
BE | Apotheek Molenstraatje Gent | APOTHEEK MOLENSTRAATJE BRUGGE BV
DE | Solarpark Heidkampsee 1 GmbH & Co. KG | Solarpark Heidkampsee 2 GmbH & Co. KG
DE | Windpark Uckerholz Verwaltungs GmbH | Windpark Uckerholz GmbH & Co. KG
DE | Bäckerei Oberhummelsdorf | Bäckerei Unterhummelsdorf GmbH
PT | Farmácia Beiramarense | PADARIA BEIRAMARENSE LDA
BR | Auto Posto Itapiranguense II | AUTO POSTO ITAPIRANGUENSE III LTDA
BR | Supermercado Itaquense | SUPERMERCADO IBIRATUENSE LTDA
BR | Condominio Edificio Jacarandoso | CONDOMINIO EDIFICIO JATOBAZOSO
SG | Hua Xingda Trading | HUA XINDE TRADING PTE. LTD.
SG | Sin Huat Lengkee | SIN HENG LENGKEE PTE LTD
SG | Zhong Haiyang Shipping | ZHONG HEYANG SHIPPING PTE LTD
AU | Barossaville Unit Trust 1 | BAROSSAVILLE UNIT TRUST 2
AU | Strata Plan 45671 | STRATA PLAN 45617
IE | Clonmoylane Creamery | CLONMOYLANE BAKERY LIMITED
CA | 7654399 Canada Inc. | 7654388 CANADA INC.
CA | Tuktuvik Air Québec | TUKTUVIK AIR ONTARIO LTD.
CA | China Railway Constructioneers | CHINA RAILWAY CONSTRUCTORATE LTD.
`;

export interface StressPair {
  readonly country: string;
  readonly asked: string;
  readonly known: string;
  readonly former: string | undefined;
}

export function readPairs(table: string): StressPair[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [country = '', asked = '', known = '', former] = line.split(' | ');
      return { country, asked, known, former };
    });
}

export const samePairs = readPairs(SAME);
export const otherPairs = readPairs(OTHER);
