import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importTexts } from '../../../test/harness/register-files.ts';
import { findCheckDigits, isValidNumber } from './number.ts';
import { br } from './register.ts';

/** The published format: every cell is quoted, in Latin-1. */
const csv = (...rows: readonly (readonly string[])[]) =>
  Buffer.from(rows.map((row) => `${row.map((cell) => `"${cell}"`).join(';')}\n`).join(''), 'latin1');

const CODES = {
  Cnaes: csv(['6204000', 'Consultoria em tecnologia da informação'], ['6201501', 'Desenvolvimento de programas']),
  Motivos: csv(['00', 'SEM  MOTIVO'], ['01', 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA']),
  Municipios: csv(['9701', 'BRASILIA']),
  Naturezas: csv(['2062', 'Sociedade Empresária Limitada']),
  Paises: csv(['105', 'BRASIL']),
  Qualificacoes: csv(['05', 'Administrador'], ['49', 'Sócio-Administrador']),
};

const company = (root: string, more: { name?: string; capital?: string; size?: string } = {}) => [
  root,
  more.name ?? 'SERTÃO AÇÚCAR & CIA LTDA',
  '2062',
  '49',
  more.capital ?? '1061004829,23',
  more.size ?? '03',
  '',
];

const establishment = (root: string, order: string, more: Readonly<Record<number, string>> = {}) => {
  const body = `${root}${order}`;
  const row = [root, order, findCheckDigits(body) ?? 'XX', order === '0001' ? '1' : '2', 'LOJA DO SERTÃO', '02'];
  row.push('20040522', '00', '', '', '19670630', '6204000', '6201501,6204000,9999999', 'AVENIDA', 'L2 SGAN', '601');
  row.push('MODULO G', 'ASA NORTE', '70836900', 'DF', '9701', '61', '33334444', '', '', '', '', 'a@b.example', '', '');
  for (const [index, cell] of Object.entries(more)) row[Number(index)] = cell;
  return row;
};

test('four files in any order become one company, with the names of its codes', async () => {
  const { result, entities } = await importTexts(br, {
    ...CODES,
    'Simples.csv': csv(['10000001', 'S', '20140101', '00000000', 'N', '00000000', '00000000']),
    'X.ESTABELE': csv(
      establishment('20000002', '0001', { 5: '8', 6: '20200229', 7: '01' }),
      establishment('10000001', '0002'),
    ),
    'Y.ESTABELE': csv(establishment('10000001', '0001')),
    'X.EMPRECSV': csv(company('10000001')),
    'Y.EMPRECSV': csv(company('20000002', { name: 'PAU\u0007BRASIL LTDA', size: '00' })),
    'X.SOCIOCSV': csv(
      ['10000001', '2', 'ANA LIMA', '***220050**', '49', '20010228', '', '***000000**', '', '00', '5'],
      ['10000001', '1', 'HOLDING SA', '19131243000197', '05', '0', '105', '***111222**', 'RUI LIMA', '05', '0'],
    ),
  });
  assert.deepEqual([result.counts.rows, result.counts.added, result.unreadable, result.counts.rejected], [2, 2, 0, 0]);
  const [first, second] = entities;
  assert.ok(first && second);
  const { sourceData, registry, ...record } = first;
  const national = { authority: 'Receita Federal do Brasil', status: '02', registeredAt: '1967-06-30', endedAt: null };
  const [head, branch] = [establishment('10000001', '0001'), establishment('10000001', '0002')].map((row) =>
    row.slice(0, 3).join(''),
  );
  assert.deepEqual(record, {
    id: record.id,
    countryCode: 'BR',
    canonicalName: 'SERTÃO AÇÚCAR & CIA LTDA',
    status: 'active',
    legalForm: 'Sociedade Empresária Limitada',
    registeredAt: '1967-06-30',
    activities: [
      'u6204000',
      'uConsultoria em tecnologia da informação',
      'u6201501',
      'uDesenvolvimento de programas',
      'u9999999',
    ],
    registrations: [
      { ...national, type: 'national', number: head },
      { ...national, type: 'branch', number: branch },
    ],
  });
  assert.deepEqual(registry, {
    root: '10000001',
    numberValid: true,
    legalFormCode: '2062',
    responsibleQualification: { code: '49', name: 'Sócio-Administrador' },
    capital: { amount: 1061004829.23, currency: 'BRL' },
    size: 'small',
    tradeName: 'LOJA DO SERTÃO',
    statusCode: '02',
    statusSince: '2004-05-22',
    statusReason: { code: '00', name: 'SEM  MOTIVO' },
    address: {
      streetType: 'AVENIDA',
      street: 'L2 SGAN',
      number: '601',
      complement: 'MODULO G',
      district: 'ASA NORTE',
      postCode: '70836900',
      city: 'BRASILIA',
      cityCode: '9701',
      state: 'DF',
    },
    phones: ['61 33334444'],
    email: 'a@b.example',
    branches: 1,
    simples: { chosen: true, from: '2014-01-01' },
    mei: { chosen: false },
    partners: [
      {
        kind: 'person',
        name: 'ANA LIMA',
        number: '***220050**',
        qualification: { code: '49', name: 'Sócio-Administrador' },
        since: '2001-02-28',
        ageGroup: '5',
      },
      {
        kind: 'company',
        name: 'HOLDING SA',
        number: '19131243000197',
        qualification: { code: '05', name: 'Administrador' },
        country: { code: '105', name: 'BRASIL' },
        representative: {
          name: 'RUI LIMA',
          number: '***111222**',
          qualification: { code: '05', name: 'Administrador' },
        },
      },
    ],
  });
  assert.deepEqual(Object.keys(sourceData), ['empresas', 'estabelecimentos', 'simples', 'socios']);
  assert.deepEqual(sourceData.empresas, {
    cnpj_basico: '10000001',
    razao_social: 'SERTÃO AÇÚCAR & CIA LTDA',
    natureza_juridica: '2062',
    qualificacao_responsavel: '49',
    capital_social: '1061004829,23',
    porte: '03',
    ente_federativo_responsavel: '',
  });
  assert.deepEqual(
    [sourceData.estabelecimentos.length, sourceData.socios.length, Object.keys(sourceData.estabelecimentos[0]).length],
    [2, 2, 30],
  );
  assert.deepEqual(
    [second.canonicalName, second.status, second.registrations[0].endedAt],
    ['PAU BRASIL LTDA', 'dissolved', '2020-02-29'],
  );
  assert.equal(second.sourceData.empresas.razao_social, 'PAU\u0007BRASIL LTDA');
  assert.deepEqual(second.registry.statusReason.name, 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA');
});

test('every status is mapped, with or without its leading zero, and an unknown one is reported', async () => {
  const raw = ['01', '02', '2', '03', '04', '08', '8', '99'];
  const { result, entities } = await importTexts(br, {
    Empresas0: csv(...raw.map((_, index) => company(`1000000${index}`))),
    Estabelecimentos0: csv(...raw.map((status, index) => establishment(`1000000${index}`, '0001', { 5: status }))),
  });
  assert.deepEqual(
    entities.map(({ status }) => status),
    ['unknown', 'active', 'active', 'inactive', 'inactive', 'dissolved', 'dissolved', 'unknown'],
  );
  assert.deepEqual(
    result.problems.map(({ value, problem }) => [value, problem]),
    [['99', 'unknown status']],
  );
});

test('a company without a head office has no fields from it, and its number is the first eight characters', async () => {
  const { entities, result } = await importTexts(br, { 'Empresas0.csv': csv(company('19131243')) });
  const [{ status, registrations, registry, legalForm, registeredAt } = {} as never] = entities;
  assert.deepEqual([status, legalForm, registeredAt, registrations[0].number], ['unknown', '2062', null, '19131243']);
  assert.deepEqual([registry.address, registry.numberValid, result.unreadable], [undefined, undefined, 0]);
});

test('an establishment without a company is left out with a warning, and a company without a name is rejected', async () => {
  const { result } = await importTexts(br, {
    Empresas0: csv(company('10000001'), company('10000002', { name: ' ' })),
    Estabelecimentos0: csv(establishment('33683111', '0002'), establishment('10000001', '0001', { 10: '19670632' })),
  });
  assert.deepEqual([result.counts.added, result.counts.rejected, result.unreadable], [1, 1, 1]);
  assert.deepEqual(result.problems.map(({ problem }) => problem).sort(), ['no name', 'not a date', 'not a date']);
  assert.ok(result.warnings.includes('skipped 1 row of "estabelecimentos" without a matching record'));
});

test('companies without a number are distinguished by their names', async () => {
  const { result, entities } = await importTexts(br, {
    Empresas0: csv(company('10000001'), company('', { name: 'ALFA' }), company('', { name: 'BETA' })),
  });
  assert.deepEqual([result.counts.added, result.counts.duplicates, result.withoutNumber], [3, 0, 2]);
  assert.equal(new Set(entities.map(({ id }) => id)).size, 3);
  assert.deepEqual(entities.at(-1)?.registrations, []);
});

test('values that cannot be read are reported, and the company is kept', async () => {
  const { result, entities } = await importTexts(br, {
    Empresas0: csv(company('10000001', { capital: '1.000,00', size: '07' })),
    Simples: csv(['10000001', 'S', '20140101', '00000000', 'X', '00000000', '00000000']),
  });
  assert.equal(entities.length, 1);
  assert.deepEqual(
    result.problems.map(({ column, value }) => [column, value]),
    [
      ['capital_social', '1.000,00'],
      ['porte', '07'],
      ['opcao_mei', 'X'],
    ],
  );
});

test('columns that the publisher adds at the end are kept and reported', async () => {
  const { result, entities } = await importTexts(br, { Empresas0: csv([...company('10000001'), 'novo']) });
  assert.deepEqual([result.unknownColumns, entities[0]?.sourceData.empresas['column 8']], [['column 8'], 'novo']);
});

test('check digits of real numbers are valid, and a number with letters cannot be checked', () => {
  for (const number of ['33683111000280', '19131243000197']) assert.equal(isValidNumber(number), true);
  assert.equal(isValidNumber('33683111000281'), false);
  assert.equal(isValidNumber('3368311100028'), false);
  assert.equal(isValidNumber('336831110002980'), false, 'one digit too many');
  assert.equal(isValidNumber('12ABC34501DE35'), null);
});

test('a remainder of 0 or 1 gives the check digit 0, and a remainder of 2 gives 9', () => {
  assert.equal(findCheckDigits('000000000000'), '00', 'both remainders are 0');
  assert.equal(findCheckDigits('000000000006'), '04', 'the first remainder is 1');
  assert.equal(findCheckDigits('000000000018'), '30', 'the second remainder is 1');
  assert.equal(findCheckDigits('000000000001'), '91', 'the first remainder is 2, the second 10');
  assert.equal(findCheckDigits('000000000009'), '49', 'the second remainder is 2');
});

test('a file without a header is recognized by its name and its first row', async () => {
  await assert.rejects(importTexts(br, { 'Empresas0.csv': csv(['cnpj', 'nome']) }), /not a file of the register "br"/);
  await assert.rejects(importTexts(br, { 'other.csv': csv(company('10000001')) }), /not a file of the register "br"/);
  await assert.rejects(importTexts(br, { Cnaes: CODES.Cnaes }), /found only details about companies/);
  await assert.rejects(
    importTexts(br, { X: CODES.Cnaes, 'a.ESTABELE': csv(establishment('10000001', '0001')) }),
    /register "br"/,
  );
  await assert.rejects(
    importTexts(br, { 'a.ESTABELE': csv(establishment('10000001', '0001')) }),
    /found only details about companies/,
  );
});
