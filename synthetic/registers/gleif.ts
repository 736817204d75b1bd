/** Generates invented entities of many countries in the XML format of the golden copy. */
import type { Json } from '../../src/registers/contract.ts';
import { findCheckDigits } from '../../src/registers/gleif/map.ts';
import { type Chance, createChance, createSerials, pickByShare, type Shares } from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const WORDS =
  'Albion Atlas Aurelia Baltic Beacon Bosphorus Calypso Castell Cobalt Danubia Eiger Equinox Falcon Fjord Galileo Helvetia Iberia Indigo Juno Kestrel Levant Lumen Meridian Nordstern Novum Oberon Pallas Quartz Rhône Sigma Solstice Tagus Tiber Ultramar Vega Vistula Westbourne Xenon Zenith Zuiderzee'.split(
    ' ',
  );
const TRADES =
  'Capital|Holding|Global Equity Fund|Infrastructure Fund|Bank|Insurance|Logistics|Energy|Pharma|Shipping|Treasury|Leasing|Pension Scheme|Opportunities|Real Estate|Trading|Technologies|Securitisation'.split(
    '|',
  );

interface Home {
  readonly jurisdiction: string;
  readonly country: string;
  readonly authority: string;
  readonly form: string;
  readonly ending: string;
  readonly city: string;
}

const home = (jurisdiction: string, authority: string, form: string, ending: string, city: string): Home => ({
  jurisdiction,
  country: jurisdiction.slice(0, 2),
  authority,
  form,
  ending,
  city,
});

const HOMES: Shares<Home> = [
  [0.15, home('GB', 'RA000585', 'H0PO', 'LIMITED', 'London')],
  [0.3, home('DE', 'RA000242', '2HBR', 'GmbH', 'Frankfurt am Main')],
  [0.42, home('US-DE', 'RA000602', 'T91T', 'LP', 'Wilmington')],
  [0.5, home('US-NY', 'RA999999', '8888', 'LLC', 'New York')],
  [0.6, home('LU', 'RA000432', '5GGB', 'S.A.', 'Luxembourg')],
  [0.68, home('KY', 'RA000087', 'OSBR', 'Ltd.', 'George Town')],
  [0.76, home('EE', 'RA000181', 'JC0Y', 'OÜ', 'Tallinn')],
  [0.84, home('BR', 'RA000681', 'X0SD', 'S.A.', 'São Paulo')],
  [0.92, home('JP', 'RA000413', 'T417', 'K.K.', '東京都')],
  [1, home('SE', 'RA000544', 'XJHM', 'AB', 'Stockholm')],
];

/** The successor of every entity that has one. */
const BODY = '549300000000000SUC';
const SUCCESSOR = 'Meridian Successor Holding';

function* generateRecords(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 9);
  for (let row = 0; row < rows; row++) yield makeRecord(chance, takeSerial());
}

/** The LEIs of the generated entities, in their order. */
export function* listLeis(rows: number, seed: number): Generator<string> {
  for (const record of generateRecords(rows, seed)) yield (record as { readonly 'lei:LEI': string })['lei:LEI'];
}

function makeRecord(chance: Chance, serial: string): Json {
  const place = pickByShare(chance, HOMES);
  const body = `${chance.pick(['5493', '2138', '5299', '9845'])}00${serial}${chance.pick(['ABC', 'X7K', 'Q0Z'])}`;
  const name = () =>
    `${chance.pick(WORDS)} ${chance.pick(WORDS)} ${chance.pick(TRADES)} ${chance.is(0.1) ? '& Co. ' : ''}${place.ending}`;
  const isRegistered = place.authority !== 'RA999999';
  const isActive = chance.is(0.92);
  const issued = chance.date(2012, 2024);
  const address = makeAddress(chance, place);
  return {
    'lei:LEI': body + (chance.is(0.0005) ? '00' : findCheckDigits(body)),
    'lei:Entity': {
      'lei:LegalName': { '@xml:lang': place.country === 'JP' ? 'ja' : 'en', '#text': name() },
      ...(chance.is(0.1) && {
        'lei:OtherEntityNames': {
          'lei:OtherEntityName': { '@xml:lang': 'en', '@type': 'PREVIOUS_LEGAL_NAME', '#text': name() },
        },
      }),
      'lei:LegalAddress': address,
      'lei:HeadquartersAddress': chance.is(0.8) ? address : makeAddress(chance, place),
      'lei:RegistrationAuthority': {
        'lei:RegistrationAuthorityID': place.authority,
        ...(isRegistered && {
          'lei:RegistrationAuthorityEntityID': String(chance.between(1_000_000, 99_999_999)).padStart(8, '0'),
        }),
      },
      'lei:LegalJurisdiction': place.jurisdiction,
      'lei:EntityCategory': chance.is(0.7) ? 'GENERAL' : 'FUND',
      'lei:LegalForm': {
        'lei:EntityLegalFormCode': place.form,
        ...(place.form === '8888' && { 'lei:OtherLegalForm': 'LIMITED LIABILITY COMPANY' }),
      },
      'lei:EntityStatus': isActive ? 'ACTIVE' : 'INACTIVE',
      ...(chance.is(0.7) && { 'lei:EntityCreationDate': `${chance.date(1950, 2011)}T00:00:00.000Z` }),
      ...(!isActive && makeEnd(serial, `${chance.date(2024, 2026)}T00:00:00Z`)),
    },
    'lei:Registration': {
      'lei:InitialRegistrationDate': `${issued}T16:33:00.000Z`,
      'lei:LastUpdateDate': `${chance.date(2024, 2025)}T15:41:20.212Z`,
      'lei:RegistrationStatus': isActive ? chance.pick(['ISSUED', 'ISSUED', 'LAPSED']) : 'RETIRED',
      'lei:NextRenewalDate': `${chance.date(2026, 2027)}T15:48:53.604Z`,
      'lei:ManagingLOU': 'EVK05KS7XY1DEII3R011',
      'lei:ValidationSources': 'FULLY_CORROBORATED',
      'lei:ValidationAuthority': { 'lei:ValidationAuthorityID': place.authority },
    },
  };
}

/** How an inactive entity ended. The last digit of its number decides, so that no other value depends on it. */
function makeEnd(serial: string, date: string): { readonly [key: string]: Json } {
  const kind = Number(serial.at(-1));
  if (kind < 5) return { 'lei:LegalEntityEvents': makeEvents('DISSOLUTION', date) };
  if (kind < 8) return { 'lei:EntityExpirationDate': date, 'lei:EntityExpirationReason': 'CORPORATE_ACTION' };
  const successors = [
    { 'lei:SuccessorLEI': `${BODY}${findCheckDigits(BODY)}` },
    { 'lei:SuccessorEntityName': SUCCESSOR },
  ];
  return {
    'lei:SuccessorEntity': kind === 8 ? successors : (successors[0] as Json),
    'lei:LegalEntityEvents': makeEvents('MERGERS_AND_ACQUISITIONS', date),
  };
}

function makeEvents(type: string, date: string): Json {
  return {
    'lei:LegalEntityEvent': {
      '@group_type': 'STANDALONE',
      '@event_status': 'COMPLETED',
      'lei:LegalEntityEventType': type,
      'lei:LegalEntityEventEffectiveDate': date,
      'lei:LegalEntityEventRecordedDate': date,
    },
  };
}

function makeAddress(chance: Chance, { city, jurisdiction, country }: Home): Json {
  return {
    '@xml:lang': 'en',
    'lei:FirstAddressLine': `${chance.between(1, 999)} ${chance.pick(WORDS)} Street`,
    ...(chance.is(0.3) && { 'lei:AdditionalAddressLine': [`Floor ${chance.between(1, 40)}`, 'P.O. Box 7'] }),
    'lei:City': city,
    ...(jurisdiction !== country && { 'lei:Region': jurisdiction }),
    'lei:Country': country,
    'lei:PostalCode': String(chance.between(10_000, 99_999)),
  };
}

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'gleif-goldencopy-lei2-golden-copy.xml.zip',
    packing: 'zip',
    content: {
      type: 'xml',
      encoding: 'utf-8',
      start:
        '<?xml version="1.0" encoding="UTF-8"?>\n<lei:LEIData xmlns:lei="http://www.gleif.org/data/schema/leidata/2016">\n<lei:LEIRecords>\n',
      end: '</lei:LEIRecords>\n</lei:LEIData>\n',
      element: 'lei:LEIRecord',
      values: { [Symbol.iterator]: () => generateRecords(rows, seed) },
    },
  };
}
