/** Word lists for invented British companies. */
export const SURNAMES: readonly string[] = (
  'ABBOTT ASHWORTH BANNISTER BARLOW BECKETT BLACKWOOD BRADSHAW BROOKES CALDWELL CARTWRIGHT CHADWICK CRAWFORD ' +
  'DALTON DAVENPORT DOUGLAS ELLIOTT FAIRCLOUGH FARRELL FERGUSON FLETCHER GALLAGHER GOODWIN GRIFFITHS HARGREAVES ' +
  'HAWTHORNE HENDERSON HOLLAND IRVING JENKINS KAUR KENDALL KHAN LANGFORD LEWIS LOCKWOOD MACDONALD MAXWELL ' +
  "MCALLISTER MERCER O'BRIEN O'CONNOR OKAFOR PATEL PEMBERTON PICKERING PRITCHARD RADCLIFFE RAMSEY ROWLAND SHAH " +
  'SINCLAIR STANTON SUTHERLAND THACKERAY THORNTON UNDERWOOD VAUGHAN WAINWRIGHT WHITAKER YEATES'
).split(' ');

export const WORDS: readonly string[] = (
  'ACORN ALBION AMBER ANCHOR APEX ARGENT ASPEN ATLAS AURORA BEACON BLUEBELL BRAMBLE BRIGHT CASTLE CEDAR CLARITY ' +
  'COBALT COMPASS CORNERSTONE CRESCENT CROWN CRYSTAL DRAGONFLY EAGLE ECHO ELM EMERALD EVERGREEN FALCON FERN ' +
  'FORGE FOXGLOVE GATEWAY GOLDEN GREENWAY HALO HARBOUR HAWK HERITAGE HORIZON IMPACT IRIS IVORY JUNIPER KESTREL ' +
  'KEYSTONE LANTERN LIGHTHOUSE LIME LUNAR MAPLE MERIDIAN MILLSTONE NEXUS NORTHERN NOVA OAK OPAL ORCHARD PEAK ' +
  'PENNINE PHOENIX PIONEER PRISM QUANTUM RAVEN REGENT RIVERSIDE ROWAN SAFFRON SILVER SOUTHERN SPIRE STERLING ' +
  'SUMMIT SWIFT TEMPLE THISTLE TŶ-MAWR UNITY VERTEX WILLOW'
).split(' ');

export const TRADES: readonly string[] = (
  'ACCOUNTANCY ADVISORY|ARCHITECTS|AUTOMOTIVE|BAKERY|BATHROOMS|BREWING|BUILDERS|CAFÉ|CAPITAL|CARE|CATERING|' +
  'CLEANING SERVICES|COMMERCIAL PROPERTIES|CONSTRUCTION|CONSULTING|COURIERS|DENTAL CARE|DESIGN|DEVELOPMENTS|' +
  'DIGITAL|ELECTRICAL|ENERGY|ENGINEERING|ESTATES|EVENTS|FARMS|FINANCIAL SERVICES|FLOORING|FOODS|GARDENS|GROUP|' +
  'HAIR & BEAUTY|HAULAGE|HEATING|HOLDINGS|HOMES|INTERIORS|INVESTMENTS|JOINERY|LANDSCAPES|LETTINGS|LOGISTICS|' +
  'MARKETING|MEDIA|MOTORS|PHARMACY|PLANT HIRE|PLUMBING|PROPERTY|RECRUITMENT|RESTAURANTS|ROOFING|SCAFFOLDING|' +
  'SECURITY|SOFTWARE|SOLUTIONS|SYSTEMS|TAXIS|TECHNOLOGIES|TRADING|TRAINING|TRAVEL|TRANSPORT|VENTURES|WINES'
).split('|');

/** Post town, county and the letters that its postcodes start with. */
export const TOWNS: readonly (readonly [town: string, county: string, area: string])[] = [
  ['LONDON', '', 'EC'],
  ['LONDON', 'GREATER LONDON', 'N'],
  ['LONDON', '', 'W'],
  ['LONDON', '', 'SE'],
  ['MANCHESTER', 'GREATER MANCHESTER', 'M'],
  ['BIRMINGHAM', 'WEST MIDLANDS', 'B'],
  ['LEEDS', 'WEST YORKSHIRE', 'LS'],
  ['SHEFFIELD', 'SOUTH YORKSHIRE', 'S'],
  ['LIVERPOOL', 'MERSEYSIDE', 'L'],
  ['BRISTOL', 'AVON', 'BS'],
  ['LEICESTER', 'LEICESTERSHIRE', 'LE'],
  ['NOTTINGHAM', 'NOTTINGHAMSHIRE', 'NG'],
  ['READING', 'BERKSHIRE', 'RG'],
  ['NORWICH', 'NORFOLK', 'NR'],
  ['CAMBRIDGE', 'CAMBRIDGESHIRE', 'CB'],
  ['BRIGHTON', 'EAST SUSSEX', 'BN'],
  ['POOLE', 'DORSET', 'BH'],
  ['DORSET', '', 'DT'],
  ['CARDIFF', 'SOUTH GLAMORGAN', 'CF'],
  ['SWANSEA', '', 'SA'],
  ['EDINBURGH', 'MIDLOTHIAN', 'EH'],
  ['GLASGOW', '', 'G'],
  ['BELFAST', 'COUNTY ANTRIM', 'BT'],
  ['NEWRY', 'CO. DOWN', 'BT'],
];

export const STREETS: readonly string[] = (
  'ABBEY ROAD|BRIDGE STREET|BROAD STREET|CHAPEL LANE|CHURCH STREET|CLIFTON AVENUE|COMMERCIAL ROAD|DOCK STREET|' +
  'FOUNDRY LANE|GEORGE STREET|GRANGE ROAD|HIGH STREET|KINGSWAY|LONDON ROAD|MANOR DRIVE|MARKET PLACE|MILL LANE|' +
  "NEW ROAD|PARK AVENUE|QUEEN STREET|ST JOHN'S SQUARE|STATION ROAD|THE GREEN|VICTORIA STREET|WELLINGTON ROAD|" +
  'WEST STREET|WINDSOR CRESCENT|YORK PLACE'
).split('|');

export const HOUSES: readonly string[] = (
  'ALBERT HOUSE|BEECH COURT|CENTRAL CHAMBERS|COURTYARD OFFICES|ENTERPRISE HOUSE|FIRST FLOOR|OFFICE 12|' +
  'REGENCY HOUSE|SUITE 3|THE GRANARY|THE OLD SCHOOL HOUSE|UNIT 4|UNIT 7B|VICTORIA BUILDINGS|' +
  'WATERSIDE BUSINESS PARK'
).split('|');

export const COUNTRIES: readonly string[] = ['', '', '', 'ENGLAND', 'ENGLAND', 'UNITED KINGDOM', 'UNITED KINGDOM'];

export const SIC_TEXTS: readonly string[] = [
  '01110 - Growing of cereals (except rice), leguminous crops and oil seeds',
  '10710 - Manufacture of bread; manufacture of fresh pastry goods and cakes',
  '25620 - Machining',
  '28290 - Manufacture of other general-purpose machinery n.e.c.',
  '41100 - Development of building projects',
  '41202 - Construction of domestic buildings',
  '43210 - Electrical installation',
  '43220 - Plumbing, heat and air-conditioning installation',
  '43390 - Other building completion and finishing',
  '45200 - Maintenance and repair of motor vehicles',
  '46900 - Non-specialised wholesale trade',
  '47110 - Retail sale in non-specialised stores with food, beverages or tobacco predominating',
  '47910 - Retail sale via mail order houses or via Internet',
  '49320 - Taxi operation',
  '49410 - Freight transport by road',
  '55100 - Hotels and similar accommodation',
  '56101 - Licensed restaurants',
  '56103 - Take-away food shops and mobile food stands',
  '56302 - Public houses and bars',
  '59111 - Motion picture production activities',
  '62012 - Business and domestic software development',
  '62020 - Information technology consultancy activities',
  '62090 - Other information technology service activities',
  '64209 - Activities of other holding companies n.e.c.',
  '68100 - Buying and selling of own real estate',
  '68209 - Other letting and operating of own or leased real estate',
  '68320 - Management of real estate on a fee or contract basis',
  '69201 - Accounting and auditing activities',
  '70229 - Management consultancy activities other than financial management',
  '71111 - Architectural activities',
  '74909 - Other professional, scientific and technical activities n.e.c.',
  '78109 - Other activities of employment placement agencies',
  '81210 - General cleaning of buildings',
  '82990 - Other business support service activities n.e.c.',
  '85590 - Other education n.e.c.',
  '86210 - General medical practice activities',
  '86900 - Other human health activities',
  '88990 - Other social work activities without accommodation n.e.c.',
  '96020 - Hairdressing and other beauty treatment',
  '96090 - Other service activities n.e.c.',
  '98000 - Residents property management',
  '99999 - Dormant Company',
];
