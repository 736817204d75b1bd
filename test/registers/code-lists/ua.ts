import { ua } from '../../../src/registers/ua/register.ts';
import { type CodeList, mapWith, parseCases, readFormLabel, readRole, readStatus, type Without } from './code-list.ts';

const subject = { NAME: 'ТОВ "ТИХИЙ СТАВ"', EDRPOU: '26535980', STAN: 'зареєстровано' };
const SOURCE = 'UO, EDR_UO_FULL';
const FORMS = ['ТОВАРИСТВО З ОБМЕЖЕНОЮ ВІДПОВІДАЛЬНІСТЮ', 'КРЕДИТНА СПІЛКА', 'ПРИВАТНЕ ПІДПРИЄМСТВО'];

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(ua, SOURCE, {}, (value) => ({ row: { ...subject, STAN: value } }), readStatus),
    cases: parseCases(`
      зареєстровано = active
      Зареєстровано = active
      зареєстровано, свідоцтво про державну реєстрацію недійсне = active
      в стані припинення = in_liquidation
      В СТАНІ ПРИПИНЕННЯ = in_liquidation
      порушено справу про банкрутство = insolvent
      порушено справу про банкрутство (санація) = insolvent
      припинено = dissolved
      скасовано = dissolved
    `),
    others: {
      values: ['', 'припинення', 'не зареєстровано', 'скасовано припинення'],
      shown: 'unknown',
      reported: true,
    },
  },
  {
    list: 'legalForm',
    map: mapWith(ua, SOURCE, {}, (value) => ({ row: { ...subject, OPF: value } }), readFormLabel),
    cases: FORMS.map((form) => [form, form]),
  },
  {
    list: 'role',
    map: mapWith(
      ua,
      SOURCE,
      {},
      (value) => ({ row: { ...subject, SIGNERS: { SIGNER: `ЛИС ОЛЕНА - ${value}` } } }),
      readRole,
    ),
    cases: parseCases(`
      керівник = director
      КЕРІВНИК = director
      директор = director
      голова правління = director
      президент = director
      підписант = representative
      представник = representative
    `),
    others: { values: ['секретар'], shown: 'representative', reported: false },
  },
];

export const without: Without = {};
