/** Word lists for invented Brazilian companies. */
import type { Shares } from '../chance.ts';

export const WORDS = (
  'ALVORADA|AURORA|BEIJA FLOR|BOA VISTA|BOM JARDIM|CAJUEIRO|CAMPO VERDE|CASA NOVA|CRISTALINA|ESPERANÇA|ESTRELA DO SUL|' +
  'FLORESTA|GUANABARA|IPÊ AMARELO|ITAPUÃ|JACARANDÁ|JANGADA|LAGOA AZUL|LITORAL|MANGUEIRA|MARACUJÁ|MAR AZUL|MIRANTE|' +
  'NOVA ERA|NOVO HORIZONTE|OURO BRANCO|PALMEIRA|PAU BRASIL|PEDRA BRANCA|PRIMAVERA|RIO CLARO|SABIÁ|SANTA LUZIA|' +
  'SÃO BENTO|SERRA DOURADA|SERTÃO|TAMBAÚ|TERRA ROXA|TRÊS RIOS|TUCANO|VALE VERDE|VITÓRIA RÉGIA'
).split('|');

export const TRADES = (
  'COMERCIO DE ALIMENTOS|TRANSPORTES|CONSTRUÇÕES|ENGENHARIA|CONFECÇÕES|PADARIA E CONFEITARIA|MERCEARIA|AUTO PEÇAS|' +
  'INFORMATICA|CONSULTORIA|IMOVEIS|PARTICIPAÇÕES|SERVIÇOS MEDICOS|ODONTOLOGIA|FARMACIA|MOVEIS|METALURGICA|AGROPECUARIA|' +
  'LOGISTICA|TURISMO|EVENTOS|RESTAURANTE|CABELEIREIROS|CONTABILIDADE|ENERGIA SOLAR|IMPORTAÇÃO E EXPORTAÇÃO|EDITORA|' +
  'MATERIAIS DE CONSTRUÇÃO|ACADEMIA|ENSINO'
).split('|');

export const SURNAMES = (
  'SILVA SANTOS OLIVEIRA SOUZA PEREIRA LIMA CARVALHO FERREIRA RIBEIRO ALMEIDA COSTA GOMES MARTINS ARAUJO MELO BARBOSA ' +
  'CARDOSO TEIXEIRA MOREIRA CORREIA NOGUEIRA MACHADO FREITAS MONTEIRO MENDES BARROS PINTO MOURA CAVALCANTI DIAS CAMPOS'
).split(' ');

export const FIRST_NAMES = (
  'ANA MARIA JOSE JOAO ANTONIO FRANCISCO CARLOS PAULO PEDRO LUCAS LUIZ MARCOS GABRIEL RAFAEL DANIEL MARCELO BRUNO ' +
  'ADRIANA JULIANA MARCIA FERNANDA PATRICIA ALINE SANDRA CAMILA AMANDA BRUNA JESSICA LETICIA VANESSA'
).split(' ');

export const STREETS = (
  'DAS FLORES|SETE DE SETEMBRO|QUINZE DE NOVEMBRO|TIRADENTES|DOM PEDRO II|PRESIDENTE VARGAS|SANTOS DUMONT|BRASIL|' +
  'DAS PALMEIRAS|RUI BARBOSA|GETULIO VARGAS|DUQUE DE CAXIAS|MARECHAL DEODORO|AMAZONAS|DA INDEPENDÊNCIA'
).split('|');

export const DISTRICTS = 'CENTRO|JARDIM AMERICA|VILA NOVA|BOA VISTA|SANTA CRUZ|INDUSTRIAL|ASA NORTE|COPACABANA'.split(
  '|',
);

/** The tax office's code, name and state. */
export const CITIES: ReadonlyArray<readonly [string, string, string]> = [
  ['7107', 'SAO PAULO', 'SP'],
  ['6001', 'RIO DE JANEIRO', 'RJ'],
  ['9701', 'BRASILIA', 'DF'],
  ['4123', 'BELO HORIZONTE', 'MG'],
  ['3849', 'SALVADOR', 'BA'],
  ['1389', 'FORTALEZA', 'CE'],
  ['7535', 'CURITIBA', 'PR'],
  ['8801', 'PORTO ALEGRE', 'RS'],
  ['0255', 'MANAUS', 'AM'],
];

/** Cumulative share, code and name. */
export const FORMS: Shares<readonly [string, string]> = [
  [0.55, ['2135', 'Empresário (Individual)']],
  [0.93, ['2062', 'Sociedade Empresária Limitada']],
  [0.95, ['2054', 'Sociedade Anônima Fechada']],
  [0.998, ['3999', 'Associação Privada']],
  [1, ['1244', 'Município']],
];

export const ACTIVITIES: readonly (readonly string[])[] = [
  ['4781400', 'Comércio varejista de artigos do vestuário e acessórios'],
  ['9602501', 'Cabeleireiros, manicure e pedicure'],
  ['4399103', 'Obras de alvenaria'],
  ['5611203', 'Lanchonetes, casas de chá, de sucos e similares'],
  ['4930202', 'Transporte rodoviário de carga, exceto produtos perigosos e mudanças'],
  ['6201501', 'Desenvolvimento de programas de computador sob encomenda'],
  ['6204000', 'Consultoria em tecnologia da informação'],
  ['0111301', 'Cultivo de arroz'],
  ['8630504', 'Atividade odontológica'],
  ['9430800', 'Atividades de associações de defesa de direitos sociais'],
];

export const REASONS: readonly (readonly string[])[] = [
  ['00', 'SEM  MOTIVO'],
  ['01', 'EXTINCAO POR ENCERRAMENTO LIQUIDACAO VOLUNTARIA'],
];

export const ROLES: readonly (readonly string[])[] = [
  ['05', 'Administrador'],
  ['10', 'Diretor'],
  ['16', 'Presidente'],
  ['49', 'Sócio-Administrador'],
  ['50', 'Empresário'],
];
