import assert from 'node:assert/strict';
import { test } from 'node:test';
import { br } from '../../../src/registers/br/register.ts';
import { CODES, company, csv, establishment } from '../../harness/br-files.ts';
import { importTexts } from '../../harness/register-files.ts';

const CNAE = { type: 'unlicensed', scheme: 'CNAE' } as const;

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
  const national = {
    authority: 'Receita Federal do Brasil',
    numberValid: true,
    status: 'ATIVA',
    statusCode: '02',
    registeredAt: '1967-06-30',
    endedAt: null,
  };
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
  const address = {
    text: 'AVENIDA L2 SGAN, 601, MODULO G, ASA NORTE, BRASILIA - DF, 70836-900',
    streetType: 'AVENIDA',
    street: 'AVENIDA L2 SGAN',
    number: '601',
    unit: 'MODULO G',
    district: 'ASA NORTE',
    postCode: '70836900',
    city: 'BRASILIA',
    cityCode: '9701',
    region: 'DF',
    countryCode: 'BR',
  };
  const status = { code: '02', label: 'ATIVA', since: '2004-05-22' };
  const contacts = { phones: ['61 33334444'], emails: ['a@b.example'] };
  assert.deepEqual(registry, {
    legalForm: { code: '2062', label: 'Sociedade Empresária Limitada', scheme: 'Natureza Jurídica' },
    activities: [
      { ...CNAE, code: '6204000', label: 'Consultoria em tecnologia da informação', main: true },
      { ...CNAE, code: '6201501', label: 'Desenvolvimento de programas', main: false },
      { ...CNAE, code: '9999999', main: false },
    ],
    root: '10000001',
    otherNames: [{ name: 'LOJA DO SERTÃO', type: 'trading' }],
    status,
    address,
    contacts,
    capital: { amount: 1061004829.23, currency: 'BRL' },
    size: { code: '03', label: 'EMPRESA DE PEQUENO PORTE' },
    responsibleQualification: { code: '49', label: 'Sócio-Administrador' },
    establishments: [{ number: branch, name: 'LOJA DO SERTÃO', from: '1967-06-30', status, address, contacts }],
    simples: { chosen: true, from: '2014-01-01' },
    mei: { chosen: false },
    parties: [
      {
        role: 'partner',
        name: 'ANA LIMA',
        roleLabel: 'Sócio-Administrador',
        roleCode: '49',
        kind: 'person',
        number: '***220050**',
        from: '2001-02-28',
        ageGroup: '5',
        ageGroupLabel: '41 to 50 years',
      },
      {
        role: 'director',
        name: 'HOLDING SA',
        roleLabel: 'Administrador',
        roleCode: '05',
        kind: 'organisation',
        number: '19131243000197',
        country: 'BRASIL',
        countryCode: 'BR',
        countryNumber: '105',
        representative: { name: 'RUI LIMA', number: '***111222**', roleCode: '05', roleLabel: 'Administrador' },
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
    [second.canonicalName, second.status, second.registrations[0].endedAt, second.registry.endedAt],
    ['PAU BRASIL LTDA', 'dissolved', '2020-02-29', '2020-02-29'],
  );
  assert.equal(second.sourceData.empresas.razao_social, 'PAU\u0007BRASIL LTDA');
  const { reasonCode, reason } = second.registry.status;
  assert.deepEqual([reasonCode, reason], ['01', 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA']);
  assert.equal(second.registry.size, undefined, 'the size is not stated');
});

test('every status is mapped, with or without its leading zero, and an unknown one is reported', async () => {
  const raw = ['01', '02', '2', '03', '04', '08', '8', '99'];
  const { result, entities } = await importTexts(br, {
    Empresas0: csv(...raw.map((_, index) => company(`1000000${index}`))),
    Estabelecimentos0: csv(...raw.map((status, index) => establishment(`1000000${index}`, '0001', { 5: status }))),
  });
  assert.deepEqual(
    entities.map(({ status }) => status),
    ['dissolved', 'active', 'active', 'inactive', 'inactive', 'dissolved', 'dissolved', 'unknown'],
  );
  assert.equal(entities[0]?.registry.endedAt, '2004-05-22', 'an annulled registration has ended');
  assert.deepEqual(
    result.problems.map(({ value, problem }) => [value, problem]),
    [['99', 'unknown status']],
  );
  const [{ status, statusCode }] = entities[7]?.registrations ?? [];
  assert.deepEqual([status, statusCode], [null, '99']);
});

test('activities and legal forms that an imported table lacks are unknown', async () => {
  const { result } = await importTexts(br, {
    ...CODES,
    Naturezas: csv(['2135', 'Empresário (Individual)']),
    Empresas0: csv(company('10000001')),
    Estabelecimentos0: csv(establishment('10000001', '0001')),
  });
  assert.deepEqual(
    result.unknownValues.map(({ kind, column, value }) => [kind, column, value]),
    [
      ['activity', 'cnae_fiscal_secundaria', '9999999'],
      ['legalForm', 'natureza_juridica', '2062'],
    ],
  );
});

test('a company without a head office has no fields from it, and its number is the first eight characters', async () => {
  const { entities, result } = await importTexts(br, { 'Empresas0.csv': csv(company('19131243')) });
  const [{ status, registrations, registry, legalForm, registeredAt } = {} as never] = entities;
  assert.deepEqual([status, legalForm, registeredAt, registrations[0].number], ['unknown', '2062', null, '19131243']);
  assert.deepEqual([registry.address, registrations[0].numberValid, result.unreadable], [undefined, undefined, 0]);
});

test('an establishment without a company is left out with a warning, and a company without a name is rejected', async () => {
  const { result } = await importTexts(br, {
    Empresas0: csv(company('10000001'), company('10000002', { name: ' ' })),
    Estabelecimentos0: csv(establishment('33683111', '0002'), establishment('10000001', '0001', { 10: '19670632' })),
  });
  assert.deepEqual([result.counts.added, result.counts.rejected, result.unreadable], [1, 1, 1]);
  assert.deepEqual(result.problems.map(({ problem }) => problem).sort(), ['no name', 'not a date']);
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
