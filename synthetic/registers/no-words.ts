/** Words for invented entities. */
export const NAME_STARTS =
  'Fjord Nord Sør Vest Øst Berg Dal Elv Foss Hav Is Kyst Lys Myr Nes Ås Ran Sjø Skog Sol Stein Strand Sund Tind Tun Vik Vind Voll Øy Granitt Bjørk Eik Furu Gran Hassel Rogn Selje Ulv Ørn Falk Trane Rein Elg Laks Torsk Sild Grønn Blå Hvit Midt Inn Ytre Stor Lille Gamle Ny Høy Lav'.split(
    ' ',
  );
export const NAME_ENDS =
  'heim land stad vik berg dal bø haug moen neset lia fjell vang bakken rud set tveit gård lund åsen elva brygga havn sletta odden bekken vollen hagen myra holmen'.split(
    ' ',
  );
export const TRADES =
  'Bygg|Eiendom|Holding|Invest|Transport|Elektro|Rør|Maskin|Regnskap|Consulting|Data|Maling|Fisk|Sjømat|Kafé|Bakeri|Auto|Bilverksted|Frisør|Tannlegene|Anlegg|Prosjekt|Entreprenør|Trelast|Energi|Kraft|Marine|Offshore|Reklame|Design|Rådgivning|Utleie|Handel|Import|Renhold|Vaktmesterservice|Treningssenter|Interiør|Hagesenter|Rederi'.split(
    '|',
  );
export const SURNAMES =
  'Hansen Johansen Olsen Larsen Andersen Pedersen Nilsen Kristiansen Jensen Karlsen Eriksen Berg Haugen Hagen Johannessen Jacobsen Dahl Halvorsen Henriksen Lund Moen Strand Solberg Bakke Aas Lie Næss Øverland Bråten Tveit'.split(
    ' ',
  );
export const FIRST_NAMES =
  'Anne Inger Kari Marit Ingrid Liv Eva Berit Astrid Solveig Nora Emma Jan Per Bjørn Ole Lars Kjell Knut Svein Arne Tor Øyvind Håkon Åse Jørgen'.split(
    ' ',
  );
export const STREETS =
  'Storgata Kirkegata Skolegata Strandveien Fjellveien Industriveien Havnegata Parkveien Bekkeveien Solbakken Torggata Bakklandet Åsveien Møllegata Sjøgata'.split(
    ' ',
  );
export const CLUBS = ['Idrettslag', 'Skytterlag', 'Velforening', 'Musikkorps', 'Historielag', 'Bygdekvinnelag'];
/** Post code, city, municipality and its number. */
export const PLACES = [
  ['0151', 'OSLO', 'OSLO', '0301'],
  ['0484', 'OSLO', 'OSLO', '0301'],
  ['1366', 'LYSAKER', 'BÆRUM', '3201'],
  ['2000', 'LILLESTRØM', 'LILLESTRØM', '3205'],
  ['2317', 'HAMAR', 'HAMAR', '3403'],
  ['3044', 'DRAMMEN', 'DRAMMEN', '3301'],
  ['4035', 'STAVANGER', 'STAVANGER', '1103'],
  ['4610', 'KRISTIANSAND S', 'KRISTIANSAND', '4204'],
  ['5003', 'BERGEN', 'BERGEN', '4601'],
  ['5501', 'HAUGESUND', 'HAUGESUND', '1106'],
  ['6003', 'ÅLESUND', 'ÅLESUND', '1508'],
  ['7011', 'TRONDHEIM', 'TRONDHEIM', '5001'],
  ['8006', 'BODØ', 'BODØ', '1804'],
  ['9008', 'TROMSØ', 'TROMSØ', '5501'],
  ['9900', 'KIRKENES', 'SØR-VARANGER', '5605'],
] as const;
/** The last one means that the activity is not stated. */
export const ACTIVITIES = [
  ['68.209', 'Utleie av egen eller leid fast eiendom ellers'],
  ['41.200', 'Oppføring av bygninger'],
  ['62.010', 'Programmeringstjenester'],
  ['43.320', 'Snekkerarbeid'],
  ['43.210', 'Elektrisk installasjonsarbeid'],
  ['69.201', 'Regnskap og bokføring'],
  ['96.020', 'Frisering og annen skjønnhetspleie'],
  ['56.101', 'Drift av restauranter og kafeer'],
  ['45.200', 'Vedlikehold og reparasjon av motorvogner, unntatt motorsykler'],
  ['03.111', 'Hav- og kystfiske'],
  ['49.410', 'Godstransport på vei'],
  ['94.991', 'Aktiviteter i andre interesseorganisasjoner ikke nevnt annet sted'],
  ['64.202', 'Holdingselskaper'],
  ['00.000', 'Uoppgitt'],
] as const;
/** Legal form, its description, and its share of the register per thousand. */
export const FORMS = [
  ['ENK', 'Enkeltpersonforetak', 380],
  ['AS', 'Aksjeselskap', 390],
  ['FLI', 'Forening/lag/innretning', 110],
  ['ESEK', 'Eierseksjonssameie', 40],
  ['NUF', 'Norskregistrert utenlandsk foretak', 30],
  ['BRL', 'Borettslag', 15],
  ['SA', 'Samvirkeforetak', 10],
  ['DA', 'Selskap med delt ansvar', 10],
  ['STI', 'Stiftelse', 8],
  ['KBO', 'Konkursbo', 5],
  ['ASA', 'Allmennaksjeselskap', 2],
] as const;
