import type { Json, MappedRecord, TreeSource } from '../../src/registers/contract.ts';
import { fi } from '../../src/registers/fi/register.ts';

const source = fi.sources[0] as TreeSource<unknown>;
export type Company = { [key: string]: Json };

export const describe = (finnish: string, swedish: string, english: string) => [
  { languageCode: '3', description: english },
  { languageCode: '2', description: swedish },
  { languageCode: '1', description: finnish },
];

/** An invented company in the published format, for the tests of the Finnish register. */
export const COMPANY: Company = {
  businessId: { value: '1234567-1', registrationDate: '1978-03-15', source: '3' },
  euId: { value: 'FIFPRO.1234567-1', source: '1' },
  names: [
    {
      name: 'Vanha Nimi Oy',
      type: '1',
      registrationDate: '1973-08-10',
      endDate: '2022-01-21',
      version: 2,
      source: '1',
    },
    { name: 'Kuuraäyräs Oy', type: '1', registrationDate: '2022-01-21', version: 1, source: '1' },
    { name: 'Rimfrost Ab', type: '2', registrationDate: '2022-01-21', version: 1, source: '1' },
    { name: 'Kuura Media', type: '3', registrationDate: '2009-11-30', version: 1, source: '1' },
  ],
  mainBusinessLine: {
    type: '82200',
    descriptions: describe('Puhelinpalvelukeskusten toiminta', 'Callcenterverksamhet', 'Activities of call centres'),
    typeCodeSet: 'TOIMI4',
    registrationDate: '2026-01-01',
    source: '2',
  },
  website: { url: 'www.kuura.example', registrationDate: '2025-09-29', source: '0' },
  companyForms: [
    {
      type: '13',
      descriptions: describe('Kommandiittiyhtiö', 'Kommanditbolag', 'Limited partnership'),
      registrationDate: '1973-08-10',
      endDate: '1999-12-31',
      version: 2,
      source: '1',
    },
    {
      type: '16',
      descriptions: describe('Osakeyhtiö', 'Aktiebolag', 'Limited company'),
      registrationDate: '2000-01-01',
      version: 1,
      source: '1',
    },
  ],
  companySituations: [],
  registeredEntries: [
    {
      type: '1',
      descriptions: describe('Rekisterissä', 'Registrerad', 'Registered'),
      registrationDate: '1973-08-10',
      register: '1',
      authority: '2',
    },
    {
      type: '80',
      descriptions: describe('Alv-velvollinen', 'Momsskyldig', 'VAT-liable'),
      registrationDate: '1994-06-01',
      register: '6',
      authority: '1',
    },
  ],
  addresses: [
    {
      type: 1,
      street: 'Valimotie',
      postCode: '00380',
      postOffices: [
        { city: 'HELSINGFORS', languageCode: '2', municipalityCode: '091' },
        { city: 'HELSINKI', languageCode: '1', municipalityCode: '091' },
      ],
      buildingNumber: '17-19',
      entrance: '',
      apartmentNumber: '4',
      apartmentIdSuffix: 'b',
      co: '',
      registrationDate: '2025-09-29',
      source: '0',
    },
  ],
  tradeRegisterStatus: '1',
  status: '2',
  registrationDate: '1973-08-10',
  lastModified: '2026-04-20T12:09:25',
};

export function map(changes: Company = {}) {
  const reports: string[][] = [];
  const context = {
    codes: null,
    report: (...report: string[]) => void reports.push(report),
    reportUnknown: (...report: string[]) => void reports.push(report),
  };
  return { record: source.map({ ...COMPANY, ...changes }, context) as MappedRecord, reports };
}
