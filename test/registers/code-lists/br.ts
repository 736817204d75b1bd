import { br } from '../../../src/registers/br/register.ts';
import {
  type Case,
  type CodeList,
  listOtherNumbers,
  mapWith,
  parseCases,
  readFormLabel,
  readRole,
  readStatus,
  type Without,
} from './code-list.ts';

const row = { cnpj_basico: '11222333', razao_social: 'LAGOA QUIETA LTDA', natureza_juridica: '2062', porte: '05' };
const head = {
  cnpj_basico: '11222333',
  cnpj_ordem: '0001',
  cnpj_dv: '81',
  identificador_matriz_filial: '1',
  situacao_cadastral: '02',
};

const STATUSES = parseCases(`
  01 = dissolved
  02 = active
  03 = inactive
  04 = inactive
  08 = dissolved
`);

/** `Qualificacoes`: every code of the published table, with its text. */
const QUALIFICATIONS = `
00 Não informada = other
05 Administrador = director
08 Conselheiro de Administração = director
09 Curador = representative
10 Diretor = director
11 Interventor = other
12 Inventariante = representative
13 Liquidante = liquidator
14 Mãe = representative
15 Pai = representative
16 Presidente = director
17 Procurador = representative
18 Secretário = other
19 Síndico (Condomínio) = director
20 Sociedade Consorciada = member
21 Sociedade Filiada = member
22 Sócio = partner
23 Sócio Capitalista = partner
24 Sócio Comanditado = partner
25 Sócio Comanditário = partner
26 Sócio de Indústria = partner
28 Sócio-Gerente = partner
29 Sócio Incapaz ou Relat.Incapaz (exceto menor) = partner
30 Sócio Menor (Assistido/Representado) = partner
31 Sócio Ostensivo = partner
32 Tabelião = other
33 Tesoureiro = other
34 Titular de Empresa Individual Imobiliária = partner
35 Tutor = representative
37 Sócio Pessoa Jurídica Domiciliado no Exterior = partner
38 Sócio Pessoa Física Residente no Exterior = partner
39 Diplomata = other
40 Cônsul = representative
41 Representante de Organização Internacional = representative
42 Oficial de Registro = other
43 Responsável = other
46 Ministro de Estado das Relações Exteriores = other
47 Sócio Pessoa Física Residente no Brasil = partner
48 Sócio Pessoa Jurídica Domiciliado no Brasil = partner
49 Sócio-Administrador = partner
50 Empresário = partner
51 Candidato a cargo Político Eletivo = other
52 Sócio com Capital = partner
53 Sócio sem Capital = partner
54 Fundador = founder
55 Sócio Comanditado Residente no Exterior = partner
56 Sócio Comanditário Pessoa Física Residente no Exterior = partner
57 Sócio Comanditário Pessoa Jurídica Domiciliado no Exterior = partner
58 Sócio Comanditário Incapaz = partner
59 Produtor Rural = partner
60 Cônsul Honorário = representative
61 Responsável indígena = other
62 Representante da Instituição Extraterritorial = representative
63 Cotas em Tesouraria = other
64 Administrador Judicial = insolvency_administrator
65 Titular Pessoa Física Residente ou Domiciliado no Brasil = partner
66 Titular Pessoa Física Residente ou Domiciliado no Exterior = partner
67 Titular Pessoa Física Incapaz ou Relativamente Incapaz (exceto menor) = partner
68 Titular Pessoa Física Menor (Assistido/Representado) = partner
69 Beneficiário Final = beneficial_owner
70 Administrador Residente ou Domiciliado no Exterior = director
71 Conselheiro de Administração Residente ou Domiciliado no Exterior = director
72 Diretor Residente ou Domiciliado no Exterior = director
73 Presidente Residente ou Domiciliado no Exterior = director
74 Sócio-Administrador Residente ou Domiciliado no Exterior = partner
75 Fundador Residente ou Domiciliado no Exterior = founder
78 Titular Pessoa Jurídica Domiciliada no Brasil = partner
79 Titular Pessoa Jurídica Domiciliada no Exterior = partner
`;
/** Codes of records that the published table lacks. */
const UNLISTED: readonly Case[] = parseCases('27 = partner\n36 = director\n44 = partner\n45 = partner');
const roles = [...parseCases(QUALIFICATIONS.replace(/^(\d\d) .* = /gm, '$1 = ')), ...UNLISTED];

const FORMS = parseCases(`
  2011 = Empresa Pública
  2046 = Sociedade Anônima Aberta
  2054 = Sociedade Anônima Fechada
  2062 = Sociedade Empresária Limitada
  2135 = Empresário (Individual)
  2143 = Cooperativa
  3069 = Fundação Privada
  3999 = Associação Privada
`);
const naturezas = FORMS.map(([codigo, descricao]) => ({ codigo, descricao: descricao ?? '' }));

const mapHead = (build: (value: string) => Partial<Record<keyof typeof head | 'situacao_especial', string>>) =>
  mapWith(
    br,
    'empresas',
    {},
    (value) => ({ row, rows: { estabelecimentos: [{ ...head, ...build(value) }] } }),
    readStatus,
  );

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapHead((value) => ({ situacao_cadastral: value })),
    // Some tools drop the leading zero.
    cases: [...STATUSES, ...STATUSES.map(([code, status]): Case => [code.slice(1), status])],
    others: { values: [...listOtherNumbers(2, STATUSES), ''], shown: 'unknown', reported: true },
  },
  {
    // With a special situation, which is written in capitals without accents.
    list: 'status',
    map: mapHead((value) => {
      const [situacao_cadastral = '', situacao_especial = ''] = value.split('/');
      return { situacao_cadastral, situacao_especial };
    }),
    cases: parseCases(`
      02/RECUPERACAO JUDICIAL = insolvent
      02/FALIDO = insolvent
      02/INTERVENCAO = insolvent
      02/EM LIQUIDACAO = in_liquidation
      02/ESPOLIO DE EMPRESARIO = active
      03/FALIDO = insolvent
      04/FALIDO = insolvent
      04/RECUPERACAO JUDICIAL = insolvent
      04/EM LIQUIDACAO = in_liquidation
      04/ESPOLIO DE EMPRESARIO = inactive
      08/FALIDO = dissolved
      01/FALIDO = dissolved
    `),
  },
  {
    list: 'legalForm',
    map: mapWith(
      br,
      'empresas',
      { naturezas },
      (value) => ({ row: { ...row, natureza_juridica: value } }),
      readFormLabel,
    ),
    cases: FORMS,
    others: { values: listOtherNumbers(4, FORMS), shown: null, reported: true },
  },
  {
    list: 'role',
    map: mapWith(
      br,
      'empresas',
      {},
      (value) => ({
        row,
        rows: { socios: [{ identificador_socio: '2', nome_socio: 'ANA LIMA', qualificacao_socio: value }] },
      }),
      readRole,
    ),
    cases: roles,
    others: { values: listOtherNumbers(2, roles), shown: 'other', reported: false },
  },
  {
    list: 'size',
    map: mapWith(
      br,
      'empresas',
      {},
      (value) => ({ row: { ...row, porte: value } }),
      ({ registry }) => registry.size?.label,
    ),
    cases: parseCases('00 = -\n01 = MICRO EMPRESA\n03 = EMPRESA DE PEQUENO PORTE\n05 = DEMAIS'),
    others: { values: ['02', '04', '99'], shown: null, reported: true },
  },
];

export const without: Without = {};
