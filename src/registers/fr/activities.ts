import type { Activity, MapContext } from '../contract.ts';

type Text = (column: string) => string | null;

/** Editions of the classification, by the code in the `nomenclature` column. */
const EDITIONS: ReadonlyMap<string, { readonly scheme: string; readonly edition: string }> = new Map([
  ['NAFRev2', { scheme: 'NAF', edition: 'Rev2' }],
  ['NAFRev1', { scheme: 'NAF', edition: 'Rev1' }],
  ['NAF1993', { scheme: 'NAF', edition: '1993' }],
  ['NAP', { scheme: 'NAP', edition: '1973' }],
]);
const NAF_2025 = { scheme: 'NAF', edition: '2025' };

export function listActivities(text: Text, context: MapContext<null>): Activity[] {
  const activities: Activity[] = [];
  const code = text('activitePrincipaleUniteLegale');
  if (code !== null) {
    const edition = readEdition(text('nomenclatureActivitePrincipaleUniteLegale'), context);
    activities.push({ type: 'unlicensed', code, label: null, ...edition, main: true });
  }
  const naf2025 = text('activitePrincipaleNAF25UniteLegale');
  if (naf2025 !== null) activities.push({ type: 'unlicensed', code: naf2025, label: null, ...NAF_2025, main: true });
  return activities;
}

function readEdition(nomenclature: string | null, context: MapContext<null>) {
  if (nomenclature === null) return { scheme: 'NAF' };
  const known = EDITIONS.get(nomenclature);
  if (known !== undefined) return known;
  context.reportUnknown('activity', 'nomenclatureActivitePrincipaleUniteLegale', nomenclature);
  return { scheme: nomenclature };
}

/** The activities of the seat. They describe the establishment, so a search does not find the unit by them. */
export function listSeatActivities(text: Text) {
  const code = text('activitePrincipale');
  const nomenclature = text('nomenclatureActivitePrincipale') ?? 'NAF';
  const naf2025 = text('activitePrincipaleNAF25');
  return [
    ...(code === null ? [] : [{ code, ...(EDITIONS.get(nomenclature) ?? { scheme: nomenclature }) }]),
    ...(naf2025 === null ? [] : [{ code: naf2025, ...NAF_2025 }]),
  ];
}
