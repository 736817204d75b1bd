/** Word lists for invented Belgian enterprises, and an excerpt of the code table. */
import type { Shares } from '../chance.ts';

export const WORDS: readonly string[] = (
  'Ardenne Beffroi Belfort Beuk Bosrand Dender Dijle Eiken Famenne Gaume Haspen Heide Hesbaye Kempen Kouter Leie Lesse Linde Maas ' +
  'Meerdaal Meuse Molen Nete Noordzee Ourthe Polder Reiger Sambre Schelde Semois Sparren Vesdre Vlier Wilg Zenne Zilver Zwin'
).split(' ');
export const TRADES: readonly string[] = (
  'Advies|Apotheek|Bouw|Boulangerie|Brouwerij|Construct|Consulting|Design|Diensten|Energie|Finance|Garage|Groep|Horeca|Immo|Invest|' +
  'Logistics|Médical|Menuiserie|Projects|Schilderwerken|Services|Software|Studio|Toitures|Transport|Tuinen'
).split('|');
export const PLACES: readonly (readonly string[])[] = [
  ['1000', 'Brussel', 'Bruxelles'],
  ['9000', 'Gent', 'Gent'],
  ['2000', 'Antwerpen', 'Antwerpen'],
  ['4000', 'Liège', 'Liège'],
  ['5000', 'Namur', 'Namur'],
  ['8970', 'Poperinge', 'Poperinge'],
  ['4700', 'Eupen', 'Eupen'],
];
export const STREETS: readonly (readonly string[])[] = [
  ['Wetstraat', 'Rue de la Loi'],
  ['Stropstraat', 'Stropstraat'],
  ['Rue de la Religion', 'Rue de la Religion'],
  ['Nieuwstraat', 'Rue Neuve'],
  ['Kerkstraat', 'Kerkstraat'],
];
export const CONTACTS: readonly (readonly string[])[] = [
  ['EMAIL', 'info@voorbeeld.be'],
  ['TEL', '089/00.00.00'],
  ['WEB', 'www.voorbeeld.be'],
  ['FAX', '089/00.00.01'],
];
export const FORMS: Shares<string> = [
  [0.6, '610'],
  [0.7, '016'],
  [0.8, '416'],
  [0.95, '017'],
  [1, '706'],
];
export const NACE: readonly (readonly string[])[] = [
  ['43211', 'Elektrotechnische installatiewerken aan gebouwen', 'Travaux d’installation électrotechnique de bâtiment'],
  ['71121', 'Ingenieurs en aanverwante technische adviseurs', 'Activités d’ingénierie et de conseils techniques'],
  ['55100', 'Hotels en dergelijke accommodatie', 'Hôtels et hébergement similaire'],
  ['43310', 'Stukadoorswerken', 'Travaux de plâtrerie'],
  ['69201', 'Accountants en belastingconsulenten', 'Experts-comptables et conseils fiscaux'],
];
/** The texts of situations are invented, except for situation 000. */
export const CODES: readonly (readonly string[])[] = [
  ...pair('Status', 'AC', 'Actief', 'Actif'),
  ...pair('JuridicalSituation', '000', 'Normale toestand', 'Situation normale'),
  ...pair('JuridicalSituation', '012', 'Ontbinding en vereffening', 'Dissolution et liquidation'),
  ...pair('JuridicalSituation', '050', 'Opening van faillissement', 'Ouverture de faillite'),
  ...pair('JuridicalForm', '610', 'Besloten vennootschap', 'Société à responsabilité limitée'),
  ...pair('JuridicalForm', '016', 'Coöperatieve vennootschap', 'Société coopérative'),
  ...pair(
    'JuridicalForm',
    '416',
    'Dienstverlenende vereniging (Vlaams Gewest)',
    'Association prestataire de services (Région flamande)',
  ),
  ...pair('JuridicalForm', '017', 'Vereniging zonder winstoogmerk', 'Association sans but lucratif'),
  ...pair('JuridicalForm', '706', 'Coöperatieve vennootschap', 'Société coopérative'),
  ...pair('TypeOfEnterprise', '1', 'Natuurlijk Persoon', 'Personne physique'),
  ...pair('TypeOfEnterprise', '2', 'Rechtspersoon', 'Personne morale'),
  ...pair('TypeOfDenomination', '001', 'Naam', 'Dénomination'),
  ...pair('TypeOfDenomination', '002', 'Afkorting', 'Abréviation'),
  ...pair('TypeOfDenomination', '003', 'Commerciële naam', 'Dénomination commerciale'),
  ...pair('TypeOfDenomination', '004', 'Naam van het bijkantoor', ' Dénomination de la succursale'),
  ...pair('TypeOfAddress', 'REGO', 'Zetel', 'Siège'),
  ...pair('TypeOfAddress', 'BAET', 'Vestigingseenheid', "Unité d'établissement"),
  ...pair('TypeOfAddress', 'ABBR', 'Bijkantoor', 'Succursale'),
  ...pair('ContactType', 'EMAIL', 'E-mailadres', 'Adresse e-mail'),
  ...pair('ContactType', 'TEL', 'Telefoonnummer', 'Numéro de téléphone'),
  ...pair('ContactType', 'WEB', 'Webadres', 'Adresse web'),
  ...pair('EntityContact', 'ENT', 'Onderneming', 'Entreprise'),
  ...pair('EntityContact', 'EST', 'Vestigingseenheid', "Unité d'établissement"),
  ...pair('EntityContact', 'BRA', 'Bijkantoor', 'Succursale'),
  ...pair('ActivityGroup', '001', 'BTW-activiteiten', 'Activités TVA'),
  ...pair('ActivityGroup', '006', 'RSZ-activiteiten', 'Activités ONSS'),
  ...pair('Classification', 'MAIN', 'Hoofdactiviteit', 'Activité principale'),
  ...pair('Classification', 'SECO', 'Nevenactiviteit', 'Activité secondaire'),
  ...NACE.flatMap(([code = '', dutch = '', french = '']) =>
    ['2008', '2025'].flatMap((version) => pair(`Nace${version}`, code, dutch, french)),
  ),
];

function pair(category: string, code: string, dutch: string, french: string): string[][] {
  return [
    [category, code, 'FR', french],
    [category, code, 'NL', dutch],
  ];
}
