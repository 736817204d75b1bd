/** Words for invented Latvian companies. */
export const WORDS: readonly string[] = (
  'Abava Aizsargs Akācija Amata Apogs Ausma Avots Balta Baltica Bērzs Birzs Blāzma Cīrulis Daugava Dižozols ' +
  'Dzelzs Dzintars Dzirksts Egle Ezers Gaisma Gauja Gāršas Gulbis Ieva Irbe Jumis Jūra Kaija Kalns Kastanis ' +
  'Klints Kļava Krasts Krauklis Kurzeme Ķekars Laima Lapegle Lāde Lauks Liepa Līcis Līgo Mežs Mēness Nams Nords ' +
  'Ogre Osis Ozols Pērkons Pīlādzis Priede Rasa Rīts Roze Rudzi Saule Selga Sēlija Sils Skudra Spāre Staburags ' +
  'Stārķis Strauts Sūna Šalle Šķērsiela Tērauds Upe Vairogs Vaivari Varavīksne Vējš Venta Vidzeme Vilnis Vītols ' +
  'Zeme Zemgale Zibens Ziemelis Zvaigzne Zvirbulis Žagata Žubīte'
).split(' ');

export const TRADES: readonly string[] = (
  'arhitekti|auto|baltic|birojs|būve|celtnieks|centrs|darbnīca|dizains|elektro|enerģija|finanses|grupa|holdings|' +
  'inženieri|īpašumi|jumti|klīnika|koks|konsultācijas|kafejnīca|loģistika|logi|māja|mēbeles|mediji|metāls|' +
  'namu serviss|nekustamie īpašumi|pakalpojumi|parks|projekti|remonts|risinājumi|serviss|sistēmas|skola|studija|' +
  'tehnika|tehnoloģijas|tirdzniecība|transports|tūrisms|ūdens|un Ko|un partneri|veikals|zobārstniecība'
).split('|');

export const FORENAMES: readonly string[] = (
  'Agnese Aigars Aija Andris Anna Arvīds Baiba Dace Dainis Edgars Elīna Gatis Guntis Ilze Inese Ivars Jānis ' +
  'Jekaterina Juris Kaspars Kristīne Laura Līga Mārtiņš Māris Normunds Oļegs Pēteris Raivis Sandra Santa Sergejs ' +
  'Uldis Valdis Vita Zane'
).split(' ');

export const SURNAMES: readonly string[] = (
  'Apsītis Auniņš Balodis Bērziņš Bite Briedis Cīrulis Dreimanis Dzenis Eglītis Freimanis Gailis Grīnbergs ' +
  'Jansons Kalniņš Kļaviņš Krūmiņš Lācis Lapiņš Liepiņš Mednis Ozoliņš Pētersons Priedītis Riekstiņš Rozītis ' +
  'Rudzītis Siliņš Skujiņš Šteinbergs Tauriņš Vanags Vilks Vītoliņš Zariņš Zeltiņš Žukovs'
).split(' ');

interface Place {
  /** The start of the address: a city, or a municipality with a town or parish. */
  readonly text: string;
  readonly region: string;
  readonly city: string;
  readonly territory: string;
  /** The first two digits of the postcodes. */
  readonly post: string;
}

export const PLACES: readonly Place[] = [
  { text: 'Rīga', region: '0', city: '100003003', territory: '0001000', post: '10' },
  { text: 'Daugavpils', region: '0', city: '100003011', territory: '0002000', post: '54' },
  { text: 'Liepāja', region: '0', city: '100003029', territory: '0005000', post: '34' },
  { text: 'Jelgava', region: '0', city: '100003037', territory: '0003000', post: '30' },
  { text: 'Ventspils', region: '0', city: '100003045', territory: '0007000', post: '36' },
  { text: 'Valmieras nov., Valmiera', region: '100016601', city: '100003801', territory: '', post: '42' },
  { text: 'Cēsu nov., Cēsis', region: '100016609', city: '100003313', territory: '', post: '41' },
  { text: 'Ogres nov., Ogre', region: '100016617', city: '100003612', territory: '', post: '50' },
  { text: 'Mārupes nov., Mārupe', region: '100016625', city: '100003701', territory: '', post: '21' },
  { text: 'Talsu nov., Lībagu pag.', region: '100016633', city: '0', territory: '0042000', post: '32' },
  { text: 'Gulbenes nov., Litenes pag.', region: '100016641', city: '0', territory: '', post: '44' },
];

export const STREETS: readonly string[] = (
  'Brīvības iela|Dārza iela|Dzirnavu iela|Jūras iela|Kalēju iela|Krišjāņa Barona iela|Lāčplēša iela|Liepu iela|' +
  'Maskavas iela|Miera iela|Parka iela|Pils iela|Raiņa bulvāris|Rīgas iela|Skolas iela|Stacijas iela|' +
  'Tērbatas iela|Ūdens iela|Zemgales prospekts|Ziedu iela'
).split('|');
