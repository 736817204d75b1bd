/** Generates invented legal entities in the current layout, which has no addresses and no activities. */
import type { Json } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/ua/register.ts';
import {
  type Chance,
  completeNumber,
  createChance,
  createSerials,
  pickByShare,
  type Shares,
  writeDayFirst,
} from '../chance.ts';
import type { SyntheticFile } from '../file.ts';

const WORDS =
  'БАРВІНОК БЕРЕГИНЯ БЕРІЗКА БУРШТИН ВЕСЕЛКА ВИШИВАНКА ВІТРИЛО ГАЙОК ГОРИЦВІТ ДЖЕРЕЛО ДНІПРО ДОБРОБУТ ЗЛАГОДА ЗОРЯ КАЛИНА КАРПАТИ КОБЗАР КОЛОС КРИНИЦЯ ЛАСТІВКА ЛИБІДЬ МАЛЬВА МРІЯ НАДІЯ НИВА ОБРІЙ ОРІОН ПАРОСТОК ПОДІЛЛЯ ПОЛІССЯ ПРОМІНЬ РОДЮЧІСТЬ СВІТАНОК СЛАВУТИЧ СМЕРЕКА СОКІЛ СТЕП ТАВРІЯ ФЕНІКС ХОРТИЦЯ ЧАЙКА ЯВІР ЇЖАЧОК ЄДНІСТЬ'.split(
    ' ',
  );
const TRADES =
  'АГРО БУД ТРАНС ТРЕЙД СЕРВІС ІНВЕСТ ЕНЕРГО ПРОДУКТ МАШ МЕТАЛ ФАРМ ЛОГІСТИК КОНСАЛТ ПРОЕКТ СОФТ ТЕКСТИЛЬ МЕБЛІ ХЛІБ МОЛОКО ЛІС'.split(
    ' ',
  );
const NAMES = 'ШЕВЧЕНКО МЕЛЬНИК БОЙКО КОВАЛЕНКО БОНДАРЕНКО ТКАЧЕНКО КРАВЧЕНКО ОЛІЙНИК КОВАЛЬ ЛИСЕНКО'.split(' ');
const FIRST_NAMES = ['ОЛЕНА ІВАНІВНА', 'ІРИНА ПЕТРІВНА', 'АНДРІЙ ЮРІЙОВИЧ', 'ТАРАС ОЛЕГОВИЧ', 'ОЛЕКСАНДР ІГОРОВИЧ'];
const FORMS: Shares<string> = [
  [0.55, 'ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ'],
  [0.75, 'ПРИВАТНЕ ПІДПРИЄМСТВО'],
  [0.82, 'ГРОМАДСЬКА ОРГАНІЗАЦІЯ'],
  [0.9, 'ОБʼЄДНАННЯ СПІВВЛАСНИКІВ БАГАТОКВАРТИРНОГО БУДИНКУ'.replace('ʼ', "'")],
  [0.96, 'ФЕРМЕРСЬКЕ ГОСПОДАРСТВО'],
  [0.99, 'КРЕДИТНА СПІЛКА'],
  [1, 'АКЦІОНЕРНЕ ТОВАРИСТВО'],
];
const STATUSES: Shares<string> = [
  [0.68, 'зареєстровано'],
  [0.7, 'зареєстровано, свідоцтво про державну реєстрацію недійсне'],
  [0.75, 'в стані припинення'],
  [0.758, 'порушено справу про банкрутство'],
  [0.76, 'порушено справу про банкрутство (санація)'],
  [0.99, 'припинено'],
  [1, 'скасовано'],
];

function* generateSubjects(rows: number, seed: number): Generator<Json> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 7);
  for (let row = 0; row < rows; row++) yield makeSubject(chance, takeSerial(), row);
}

function makeSubject(chance: Chance, serial: string, row: number): Json {
  const form = pickByShare(chance, FORMS);
  const status = pickByShare(chance, STATUSES);
  const edrpou = completeNumber(isValidNumber, serial);
  const inner = `${chance.pick(WORDS)}${chance.is(0.5) ? '-' : ' '}${chance.pick(TRADES)}${chance.is(0.4) ? ` ${chance.between(1, 999)}` : ` ${chance.pick(WORDS)}`}`;
  const born = writeDayFirst(chance.date(1991, 2021), '.');
  const isBankrupt = status.startsWith('порушено');
  return {
    RECORD: String(1_000 + row),
    NAME: `${form} "${inner}"${chance.is(0.002) ? ' <ФІЛІЯ>' : ''}`,
    SHORT_NAME: chance.is(0.8) ? `"${inner}"` : '',
    OPF: form,
    EDRPOU: chance.is(0.003) ? '' : completeNumber(isValidNumber, serial, chance.is(0.001)),
    STAN: status,
    FOUNDERS: chance.is(0.8)
      ? { FOUNDER: Array.from({ length: chance.between(1, 3) }, () => makeFounder(chance)) }
      : '',
    BENEFICIARIES: chance.is(0.4) ? { BENEFICIARY: makeFounder(chance) } : '',
    SUPERIOR_MANAGEMENT: 'ЗАГАЛЬНІ ЗБОРИ',
    SIGNERS: { SIGNER: `${makePerson(chance)} - керівник` },
    AUTHORIZED_CAPITAL: `${chance.pick([0, 1000, 10_000, 250_000])},00`,
    REGISTRATION: `${born}; ${writeDayFirst(chance.date(2021, 2023), '.')}; ${chance.between(1_000_000, 9_999_999)}0000000716`,
    // By row instead of by chance, so that these do not change the other values.
    BRANCHES: row % 40 === 7 ? { BRANCH: { CODE: '', NAME: `ФІЛІЯ "${inner}"`, SIGNER: 'КОВАЛЬ ІРИНА ПЕТРІВНА' } } : '',
    TERMINATION_STARTED_INFO:
      status === 'в стані припинення' ? `${writeDayFirst(chance.date(2023, 2026), '.')}; 100; рішення засновників` : '',
    BANKRUPTCY_READJUSTMENT_INFO: isBankrupt
      ? {
          OP_DATE: writeDayFirst(chance.date(2023, 2026), '.'),
          REASON: 'ухвала суду',
          SBJ_STATE: status,
          SIGNER_NAME: makePerson(chance),
        }
      : '',
    PREDECESSORS: row % 60 === 11 ? { PREDECESSOR: { NAME: `КСП "${inner}"`, CODE: edrpou } } : '',
    ASSIGNEES: status === 'припинено' && row % 5 === 0 ? { ASSIGNEE: { NAME: `ТОВ "${inner}"`, CODE: '' } } : '',
    TERMINATED_INFO: status === 'припинено' ? `${writeDayFirst(chance.date(2022, 2026), '.')}; 1002; ліквідація` : '',
    TERMINATION_CANCEL_INFO: '',
    EXCHANGE_DATA: {
      EXCHANGE_ANSWER: ['Реєстр платників податків', 'Реєстр платників єдиного внеску'].map((register) => ({
        TAX_PAYER_TYPE: register,
        START_DATE: born,
        START_NUM: String(chance.between(1, 99_999)),
        END_DATE: '',
        END_NUM: '',
      })),
    },
  };
}

function makePerson(chance: Chance): string {
  return `${chance.pick(NAMES)} ${chance.pick(FIRST_NAMES)}`;
}

function makeFounder(chance: Chance): string {
  return `${makePerson(chance)}, Україна, м. Київ, розмір частки - ${chance.between(1, 500)}00,00 грн.`;
}

/** A file in the layout of the publisher. */
export function generateFile(rows: number, seed: number): SyntheticFile {
  return {
    name: 'UO.zip',
    packing: 'zip',
    content: {
      type: 'xml',
      encoding: 'windows-1251',
      start: '<?xml version="1.0" encoding="windows-1251"?>\n<SUBJECTS>\n',
      end: '</SUBJECTS>\n',
      element: 'SUBJECT',
      values: { [Symbol.iterator]: () => generateSubjects(rows, seed) },
    },
  };
}
