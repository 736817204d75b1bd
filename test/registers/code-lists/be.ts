import { be } from '../../../src/registers/be/register.ts';
import {
  type CodeList,
  listOtherNumbers,
  mapWith,
  parseCases,
  readFormLabel,
  readStatus,
  type Without,
} from './code-list.ts';

/** `JuridicalSituation` in code.csv: 40 codes. Each is followed by its French text, which needs no part in the decision. */
const SITUATIONS = `
000  Situation normale = active
001  Création juridique = active
002  Prorogation = active
003  Remplacement du numéro d'entreprise = active
006  Arrêt pour cause de remplacement du numéro d'entreprise = dissolved
010  Dissolution de plein droit = in_liquidation
011  Cessation des activités en Belgique (entité étrangère) = dissolved
012  Dissolution volontaire – liquidation = in_liquidation
013  Dissolution judiciaire ou nullité = in_liquidation
014  Clôture de liquidation = dissolved
015  Arrêt d’une entité sans personnalité juridique = dissolved
016  Cessation d'activité d'une entité personne physique = dissolved
017  Transfert d'une entité enregistrée personne physique = dissolved
018  Arrêt de l’identification = dissolved
019  Arrêt d’une entité EDRL ou non UE = dissolved
020  Réunion des parts en une seule main = active
021  Fusion par absorption = unknown
022  Fusion par constitution d'une nouvelle entité = unknown
023  Scission = unknown
024  Scission par absorption = unknown
025  Scission par constitution de nouvelles entités = unknown
026  Scission mixte = unknown
030  Concordat judiciaire avant faillite = insolvent
031  Concordat judiciaire après faillite = insolvent
040  Sursis provisoire = insolvent
041  Sursis définitif = insolvent
042  Révocation du sursis = unknown
043  Fin du sursis = active
048  Ouverture de faillite avec excusabilité = insolvent
049  Ouverture de faillite avec inexcusabilité = insolvent
050  Ouverture de faillite = insolvent
051  Clôture de faillite avec excusabilité = dissolved
052  Clôture de faillite avec inexcusabilité = dissolved
053  Clôture de faillite = dissolved
090  Nouveaux statuts = active
091  Sursis (réorganisation judiciaire) = insolvent
100  Identification de l'entité = active
111  Radiation en raison de l’arrêt dans un registre de l’EEE = dissolved
112  Réouverture de liquidation = in_liquidation
999  Dossier annulé = dissolved
`;
const situations = parseCases(SITUATIONS.replace(/^(\d{3}) {2}.* = /gm, '$1 = '));
const texts = parseCases(SITUATIONS.replace(/^\d{3} {2}/gm, ''));

const NUMBER = '0200.065.765';
const mapSituation = mapWith(
  be,
  'enterprise',
  {},
  (value) => ({ row: { EnterpriseNumber: NUMBER, Status: 'AC', JuridicalSituation: value } }),
  readStatus,
);

/** A code that is not on the list is known by its text in code.csv, in any language and case. */
const mapText = (value: string) =>
  mapWith(
    be,
    'enterprise',
    { code: [{ Category: 'JuridicalSituation', Code: '777', Language: 'FR', Description: value }] },
    () => ({ row: { EnterpriseNumber: NUMBER, Status: 'AC', JuridicalSituation: '777' } }),
    readStatus,
  )(value);

const TEXTS_NL = parseCases(`
  Normale toestand = active
  Juridische oprichting = active
  Verlenging = active
  Vervanging van het ondernemingsnummer = active
  Stopzetting wegens vervanging van het ondernemingsnummer = dissolved
  Ontbinding van rechtswege = in_liquidation
  Activiteitstopzetting in België (buitenlandse entiteit) = dissolved
  Vrijwillige ontbinding – vereffening = in_liquidation
  Gerechtelijke ontbinding of nietigheid = in_liquidation
  Sluiting van vereffening = dissolved
  Stopzetting entiteit zonder rechtspersoonlijkheid = dissolved
  Stopzetting activiteit entiteit natuurlijk persoon = dissolved
  Overdracht geregistreerde entiteit natuurlijk persoon = dissolved
  Stopzetting in bekendmaking = dissolved
  Stopzetting van een EDRL of niet-EU entiteit = dissolved
  Vereniging van aandelen in één hand = active
  Fusie door overneming = unknown
  Splitsing = unknown
  Gemengde splitsing = unknown
  Gerechtelijk akkoord voor faling = insolvent
  Gerechtelijk akkoord na faling = insolvent
  Voorlopige opschorting van betaling = insolvent
  Definitieve opschorting van betaling = insolvent
  Herroeping van de opschorting = unknown
  Einde van de opschorting = active
  Opening faillissement met verschoonbaarheid = insolvent
  Opening faillissement = insolvent
  Sluiting faillissement met niet-verschoonbaarheid = dissolved
  Sluiting faillissement = dissolved
  Nieuwe statuten = active
  Opschorting (gerechtelijke reorganisatie) = insolvent
  Bekendmaking van de entiteit = active
  Doorhaling wegens stopzetting in een EER-register = dissolved
  Heropening van de vereffening = in_liquidation
  Geannuleerd dossier = dissolved
  GEANNULEERD DOSSIER = dissolved
`);

/** The forms of a code table, with the label in Dutch or else in another language. */
const FORMS = {
  code: [
    { Category: 'JuridicalForm', Code: '001', Language: 'FR', Description: 'Société coopérative européenne' },
    { Category: 'JuridicalForm', Code: '001', Language: 'NL', Description: 'Europese Coöperatieve Vennootschap' },
    { Category: 'JuridicalForm', Code: '003', Language: 'DE', Description: 'Mehrwertsteuereinheit' },
    { Category: 'TypeOfEnterprise', Code: '1', Language: 'NL', Description: 'Natuurlijk Persoon' },
    { Category: 'TypeOfEnterprise', Code: '2', Language: 'NL', Description: 'Rechtspersoon' },
  ],
};
const enterprise = { EnterpriseNumber: NUMBER, Status: 'AC', JuridicalSituation: '000' };

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapSituation,
    cases: [...situations, [' 012 ', 'in_liquidation']],
    others: { values: [...listOtherNumbers(3, situations), ''], shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: mapText,
    cases: [...texts, ...TEXTS_NL],
    others: { values: ['Situation inconnue', 'Sous tutelle'], shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: mapWith(be, 'enterprise', {}, (value) => ({ row: { ...enterprise, Status: value } }), readStatus),
    cases: parseCases('AC = active\nST = inactive'),
    others: { values: ['XX', 'ac', ''], shown: 'unknown', reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(
      be,
      'enterprise',
      FORMS,
      (value) => ({ row: { ...enterprise, TypeOfEnterprise: '2', JuridicalForm: value } }),
      readFormLabel,
    ),
    cases: parseCases('001 = Europese Coöperatieve Vennootschap\n003 = Mehrwertsteuereinheit'),
    others: { values: ['999', '1'], shown: null, reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(
      be,
      'enterprise',
      FORMS,
      (value) => ({ row: { ...enterprise, TypeOfEnterprise: value } }),
      readFormLabel,
    ),
    cases: parseCases('1 = Natuurlijk Persoon\n2 = Rechtspersoon'),
    others: { values: ['3'], shown: null, reported: true },
  },
];

export const without: Without = { role: 'the open data has no persons' };
