import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { untilSearchServes } from '../harness/entities.ts';
import type { TestService } from '../harness/service.ts';
import { CODES, company, csv, establishment } from '../registers/br-files.ts';

/**
 * Imports an invented company with this many establishments (in Brazil, besides its head office) and returns its id. Its rows are
 * not next to each other in the file, so that its provenance is long too.
 */
export async function importLargeCompany(
  service: TestService,
  country: 'br' | 'be',
  establishments: number,
): Promise<string> {
  const paths = writeLargeCompany(service.database.dataDir, country, establishments);
  const register = registers.find(({ id }) => id === country);
  if (register === undefined) throw new Error(`there is no register ${country}`);
  const { registryDb } = service.services;
  await importFiles(registryDb, service.clock, { register, registers, paths, mode: 'partial' });
  await untilSearchServes(service);
  const found = await registryDb.one<{ id: string }>(
    'SELECT id FROM entities WHERE register = $1 AND canonical_name = $2',
    [country, NAME],
  );
  if (found === undefined) throw new Error('the large company was not imported');
  return found.id;
}

/** Writes the files of the company to a new folder and returns their paths. */
function writeLargeCompany(parent: string, country: 'br' | 'be', establishments: number): string[] {
  const folder = mkdtempSync(join(parent, 'large-'));
  const files = country === 'br' ? writeBrazil(establishments) : writeBelgium(establishments);
  return Object.entries(files).map(([name, content]) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  });
}

const NAME = 'SERTÃO AÇÚCAR & CIA LTDA';
const [ROOT, OTHER_ROOT] = ['10000001', '20000002'];

function writeBrazil(establishments: number): Record<string, Uint8Array> {
  const rows = Array.from({ length: establishments + 1 }, (_, index) => {
    const order = String((index % 9_999) + 1).padStart(4, '0');
    return [establishment(ROOT, order, { 4: `LOJA ${index}` }), establishment(OTHER_ROOT, '0001')];
  });
  const companies = csv(company(ROOT, { name: NAME }), company(OTHER_ROOT, { name: 'OUTRA LTDA' }));
  return { ...CODES, 'X.ESTABELE': csv(...rows.flat()), 'X.EMPRECSV': companies };
}

const ENTERPRISE = '0200.065.765';
const ACTIVITIES = ['47111', '47112', '47190', '47210', '56101'];

/** Each establishment has a name, an address and its activities in two editions of the classification. */
function writeBelgium(establishments: number): Record<string, string> {
  const numbers = Array.from({ length: establishments }, (_, index) => {
    const digits = String(2_000_000_000 + index);
    return `2.${digits.slice(1, 4)}.${digits.slice(4, 7)}.${digits.slice(7)}`;
  });
  const table = (columns: string, rows: readonly (readonly string[])[]) =>
    [columns, ...rows.map((row) => row.map((cell) => `"${cell}"`).join(','))].join('\n').concat('\n');
  return {
    'meta.csv': '"Variable","Value"\n"SnapshotDate","30-05-2025"\n"ExtractType","full"\n',
    'code.csv': table('"Category","Code","Language","Description"', [
      ['JuridicalForm', '610', 'NL', 'Besloten vennootschap'],
      ['JuridicalSituation', '000', 'NL', 'Normale toestand'],
      ...ACTIVITIES.flatMap((code) => ['Nace2008', 'Nace2025'].map((list) => [list, code, 'NL', `Handel ${code}`])),
    ]),
    'enterprise.csv':
      '"EnterpriseNumber","Status","JuridicalSituation","TypeOfEnterprise","JuridicalForm","JuridicalFormCAC","StartDate"\n' +
      `"${ENTERPRISE}","AC","000","2","610","",09-08-1960\n`,
    'denomination.csv': table('"EntityNumber","Language","TypeOfDenomination","Denomination"', [
      [ENTERPRISE, '2', '001', NAME],
      ...numbers.map((number, index) => [number, '2', '003', `WINKEL ${index}`]),
    ]),
    'address.csv': table(
      '"EntityNumber","TypeOfAddress","CountryNL","CountryFR","Zipcode","MunicipalityNL","MunicipalityFR","StreetNL","StreetFR","HouseNumber","Box","ExtraAddressInfo","DateStrikingOff"',
      [
        [ENTERPRISE, 'REGO', '', '', '1000', 'Brussel', 'Bruxelles', 'Wetstraat', 'Rue de la Loi', '16', '', '', ''],
        ...numbers.map((number) => [
          number,
          'BAET',
          '',
          '',
          '9000',
          'Gent',
          'Gand',
          'Markt',
          'Marché',
          '1',
          '',
          '',
          '',
        ]),
      ],
    ),
    'activity.csv': table(
      '"EntityNumber","ActivityGroup","NaceVersion","NaceCode","Classification"',
      numbers.flatMap((number) =>
        ['2008', '2025'].flatMap((edition) => ACTIVITIES.map((code) => [number, '001', edition, code, 'MAIN'])),
      ),
    ),
    'establishment.csv': `"EstablishmentNumber","StartDate","EnterpriseNumber"\n${numbers
      .map((number) => `"${number}",01-11-1974,"${ENTERPRISE}"\n`)
      .join('')}`,
    'contact.csv': table('"EntityNumber","EntityContact","ContactType","Value"', [
      [ENTERPRISE, 'ENT', 'EMAIL', 'info@voorbeeld.be'],
    ]),
    'branch.csv': '"Id","StartDate","EnterpriseNumber"\n',
  };
}
