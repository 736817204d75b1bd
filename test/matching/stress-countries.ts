import { readPairs, type StressPair } from './stress-names.ts';

/** More pairs, by what they test: forms of the countries that we have registers of, scripts, notes in names, abbreviations. */
const SAME = `
AU | Wirrabilla Shearing | WIRRABILLA SHEARING PTY. LIMITED
AU | Wirrabilla Shearing Co Pty Ltd | WIRRABILLA SHEARING PTY. LIMITED
AU | Trustee for the Yarrangobie Family Trust | THE TRUSTEE FOR YARRANGOBIE FAMILY TRUST
AU | Coolabarra Gold N.L. | COOLABARRA GOLD NL
BE | Schrijnwerkerij Vandevoortelen BVBA | SCHRIJNWERKERIJ VAN DE VOORTELEN BV
BE | Van de Voortelen Schrijnwerkerij | SCHRIJNWERKERIJ VAN DE VOORTELEN BV
BE | SA Carrieres de Maffleurus | CARRIERES DE MAFFLEURUS SA
BE | Maffleurus Carrières de société anonyme | CARRIERES DE MAFFLEURUS SA
BE | vzw Kinderopvang 't Zonnekevertje | KINDEROPVANG T ZONNEKEVERTJE VZW
BE | Tuinwerken Oosterlyncx Comm.V | TUINWERKEN OOSTERLYNCX COMMV
BR | Cia. Pernambucal de Tecidos | COMPANHIA PERNAMBUCAL DE TECIDOS
BR | Pernambucal Tecidos S/A | COMPANHIA PERNAMBUCAL DE TECIDOS
BR | Metalurgica Gravataiense | METALÚRGICA GRAVATAIENSE S.A. EM RECUPERAÇÃO JUDICIAL
BR | J.B. Carvalheirinho Com. de Alimentos | J B CARVALHEIRINHO COMERCIO DE ALIMENTOS LTDA - ME
BR | Ind e Com de Moveis Tramandaense | INDUSTRIA E COMERCIO DE MOVEIS TRAMANDAENSE EIRELI
CA | Entreprises Chibougamois (Les) inc. | LES ENTREPRISES CHIBOUGAMOIS INC.
CA | St. Adolphine Lumber | SAINT ADOLPHINE LUMBER LTD
CA | Mount Assinabie Ski Club | MT. ASSINABIE SKI CLUB INC
CA | Gagnonville Bros. Paving | GAGNONVILLE BROTHERS PAVING LTD.
CZ | Vodovody Chrudimka, v likvidaci | Vodovody Chrudimka s.r.o. v likvidaci
CZ | Vodovody Chrudimka spol. s r. o. | Vodovody Chrudimka s.r.o. v likvidaci
CZ | TJ Sokolik Benatky z.s. | Tělovýchovná jednota Sokolík Benátky, zapsaný spolek
CZ | Jednota Zubrovecká spotřební družstvo | JEDNOTA ZUBROVECKÁ, spotřební družstvo
EE | AS Saaremaa Lihatoostus | Saaremaa Lihatööstus aktsiaselts
EE | Haapsalu Paadiehitajad usaldusühing | Haapsalu Paadiehitajad UÜ
EE | MTÜ Kõpu Külaselts | Kõpu Külaselts MTÜ
FI | Lahtisen Konepajat avoin yhtio | Lahtisen Konepajat Ay
FI | Ky Savikontie Virtasela | Savikontie Virtasela Kommandiittiyhtiö
FI | Åboländska Bageriet Ab Oy | Åboländska Bageriet Ab
FI | T:mi Pekka Rautalampinen | Tmi Pekka Rautalampinen
FR | Gaec du Bois Chanterelle | GAEC DU BOIS CHANTERELLE
FR | EARL Pommeraiesud | POMMERAIESUD EARL
FR | Sté Nouvelle Ferronnerie Guingampoise | SOCIETE NOUVELLE FERRONNERIE GUINGAMPOISE
FR | Menuiserie Trégoroise (en liquidation) | MENUISERIE TREGOROISE
FR | Lecarpentiere Freres & Cie | LECARPENTIERE FRERES ET COMPAGNIE
FR | Mr Dujardinet Jean-Luc | JEAN LUC DUJARDINET
GB | Heppleworth's Butchers | HEPPLEWORTHS BUTCHERS LTD
GB | Heppleworth s Butchers | HEPPLEWORTHS BUTCHERS LTD
GB | Penwithian Tyres Ltd (in administration) | PENWITHIAN TYRES LIMITED
GB | Messrs Oakenshawly & Co | OAKENSHAWLY AND COMPANY LIMITED
GB | A1 Glazebrookers | A 1 GLAZEBROOKERS LIMITED
GB | 4Tress Lockmasters | 4 TRESS LOCKMASTERS LTD
GB | Wolverstonian District Council Dept. of Parks | WOLVERSTONIAN DISTRICT COUNCIL DEPARTMENT OF PARKS
GB | Tharston Kennelmere previously known as Dogwood Lodging | THARSTON KENNELMERE LIMITED
GB | ESKDALEIAN AGGREGATES AND QUARRYING INT | ESKDALEIAN AGGREGATES AND QUARRYING INTERNATIONAL HOLDINGS LIMITED
GB | Yorkmoorshire Bldg Soc | YORKMOORSHIRE BUILDING SOCIETY
GB | Vervaine Kitchens (Hull) Ltd. | VERVAINE KITCHENS (HULL) LIMITED
GB | Сalderwickian Freight | CALDERWICKIAN FREIGHT LTD
IE | Droichead Nuaton Teoranta | DROICHEAD NUATON TEO
IE | Cumann Glasbaile CLG | CUMANN GLASBAILE COMPANY LIMITED BY GUARANTEE
IE | Slievefoylan Quarries Unlimited Company | SLIEVEFOYLAN QUARRIES UC
IE | O Dubhghaillin Teo | Ó DUBHGHAILLÍN TEORANTA
LT | Pakruojaus Malunelis zemes ukio bendrove | Žemės ūkio bendrovė "PAKRUOJAUS MALŪNĖLIS"
LT | J. Petrauskaičio individuali įmonė | J. Petrauskaičio IĮ
LT | Neringos Kopininkas, likviduojama UAB | UAB "NERINGOS KOPININKAS"
LV | Kuldigas Ratins | Likvidējamā SIA "KULDĪGAS RATIŅŠ"
LV | IK Saulespuku Darzs | Individuālais komersants "SAULESPUĶU DĀRZS"
LV | Bērzkalnu kooperatīvā sabiedrība Graudiņi | Kooperatīvā sabiedrība "BĒRZKALNU GRAUDIŅI"
MD | ICS Floareasoarelui-Nord SRL | ÎNTREPRINDEREA CU CAPITAL STRĂIN "FLOAREASOARELUI-NORD" S.R.L.
MD | Gospodaria Taraneasca Bostanel Ion | GȚ BOSTĂNEL ION
MD | Floarea Soarelui Nord | ÎNTREPRINDEREA CU CAPITAL STRĂIN "FLOAREASOARELUI-NORD" S.R.L.
NO | Tromsdalskai Mekaniske under avvikling | TROMSDALSKAI MEKANISKE AS
NO | Tromsdalskai Mek. Verksted A/S | TROMSDALSKAI MEKANISKE VERKSTED AS
NO | Stiftinga Hardangerblomen | STIFTELSEN HARDANGERBLOMEN
RO | Intreprindere Individuala Popescovici Dan | POPESCOVICI DAN ÎNTREPRINDERE INDIVIDUALĂ
RO | SC Lemnarul Bistritean Societate cu Raspundere Limitata | LEMNARUL BISTRIȚEAN SRL
RO | Lemnarul Bistritean (societate in faliment) | LEMNARUL BISTRIȚEAN SRL
SG | Chuan Hupseng Trading Co. (Pte.) Ltd. | CHUAN HUPSENG TRADING COMPANY PRIVATE LIMITED
SG | S. Rajamanickamson & Bros | S RAJAMANICKAMSON & BROTHERS
UA | Сільськогосподарський виробничий кооператив Барвінкове Поле | СВК "БАРВІНКОВЕ ПОЛЕ"
UA | ФОП Непийводенко Степан Іванович | НЕПИЙВОДЕНКО СТЕПАН ІВАНОВИЧ
UA | Nepyivodenko S.I. | НЕПИЙВОДЕНКО СТЕПАН ІВАНОВИЧ
UA | Cвітанoк Вересневий | ТОВ "СВІТАНОК ВЕРЕСНЕВИЙ"
UA | Svitanok Veresnevyy LTD | ТОВ "СВІТАНОК ВЕРЕСНЕВИЙ"
UA | Kharkivelektromash JSC | АКЦІОНЕРНЕ ТОВАРИСТВО "ХАРКІВЕЛЕКТРОМАШ"
UA | Harkovelektromash | АКЦІОНЕРНЕ ТОВАРИСТВО "ХАРКІВЕЛЕКТРОМАШ"
UA | Комунальне підприємство Міськсвітлобуд Луцьк | КП "МІСЬКСВІТЛОБУД ЛУЦЬК"
RS | Šumadijac Voćnjaci doo | ШУМАДИЈАЦ ВОЋЊАЦИ ДОО
RS | Sumadijac Vocnjaci | ШУМАДИЈАЦ ВОЋЊАЦИ ДОО
KZ | Zhetisu Kurylysbek TOO | ТОО «ЖЕТІСУ ҚҰРЫЛЫСБЕК»
BG | Slanchogledovo Maslo AD | СЛЪНЧОГЛЕДОВО МАСЛО АД
GR | Afoi Papadopoulakidi O.E. | ΑΦΟΙ ΠΑΠΑΔΟΠΟΥΛΑΚΙΔΗ ΟΕ
GR | Papadopulakidi Afoi | ΑΦΟΙ ΠΑΠΑΔΟΠΟΥΛΑΚΙΔΗ ΟΕ
GR | Xylourgiki Evoias | ΞΥΛΟΥΡΓΙΚΗ ΕΥΒΟΙΑΣ ΑΕ
CY | Lemesianos Chartopoiia Ltd | ΛΕΜΕΣΙΑΝΟΣ ΧΑΡΤΟΠΟΙΙΑ ΛΤΔ
JP | 東洋歯車精機 | 東洋歯車精機株式会社
JP | 株式会社東洋歯車精機 | 東洋歯車精機株式会社
JP | (株)琵琶湖製網 | 株式会社琵琶湖製網
JP | 琵琶湖製網 | 株式会社琵琶湖製網
CN | 海蓝云帆科技 | 海蓝云帆科技有限公司
CN | 青岛远帆渔具 | 青岛远帆渔具股份有限公司
KR | 주식회사 한빛나래 | (주)한빛나래
KR | 한빛나래 | (주)한빛나래
`;

const OTHER = `
AU | Wirrabong Shearing Pty Ltd | WIRRABANG SHEARERS PTY LTD
AU | Yarrangobar Unit Trust | YARRANGOBAR FAMILY TRUST
BE | Bakkerij Zilvermeers Aalst | BAKKERIJ ZILVERMEERS NINOVE BV
BR | Posto Sapucaiense 2 Ltda | POSTO SAPUCAIENSE 3 LTDA
BR | Igreja Evangelica Manancialense | IGREJA BATISTA MANANCIALENSE
CA | Gagnonbourg Bros. Paving | GAGNONBOURG SISTERS PAVING LTD.
CZ | SVJ Rumunkovská 480 | Společenství vlastníků Rumunkovská 408
EE | Korteriühistu Kadakasalu 12a | Korteriühistu Kadakasalu 12b
FI | Asunto Oy Ruusukallio A | Asunto Oy Ruusukallio B
FR | SCI du 12 rue Gambettine | SCI DU 14 RUE GAMBETTINE
GB | Oakenshawby Flats (No. 1) | OAKENSHAWBY FLATS (NO. 2) LIMITED
GB | Thorndykeham East LLP | THORNDYKEHAM WEST LLP
GB | Mars Quellbrook Group | MANAGERS QUELLBROOK GROUP LIMITED
IE | Slievegorman Nominees Two DAC | SLIEVEGORMAN NOMINEES ONE DAC
JP | 東洋歯車工業 | 東洋鋸刃工業株式会社
LT | Kretingos Linas | UAB "KRETINGOS PIENAS"
LV | Ventas Balti SIA | SIA "VENTAS KALTI"
MD | Agrofirma Cahuleanca | AGROFIRMA ORHEIANCA SRL
NO | Sameiet Bekkestuveien 4 | SAMEIET BEKKESTUVEIEN 40
RO | Farmacia Ardeleancuta | PATISERIA ARDELEANCUTA SRL
SG | Teck Whyeheng Trading | TECK WHYEHUAT TRADING PTE LTD
UA | ОСББ Вишнівецька 7 | ОСББ "ВИШНІВЕЦЬКА 17"
UA | ТОВ Агрокряж Північ | ТОВ "АГРОКРЯЖ ПІВДЕНЬ"
`;

export const moreSamePairs: readonly StressPair[] = readPairs(SAME);
export const moreOtherPairs: readonly StressPair[] = readPairs(OTHER);
