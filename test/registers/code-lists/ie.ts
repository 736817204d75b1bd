import { ie } from '../../../src/registers/ie/register.ts';
import { type CodeList, mapWith, parseCases, readFormLabel, readStatus, type Without } from './code-list.ts';

const company = {
  company_num: '25',
  company_name: 'TWO SWANS LIMITED',
  company_status: 'Normal ',
  company_type: 'LTD',
};

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(ie, 'companies', {}, (value) => ({ row: { ...company, company_status: value } }), readStatus),
    cases: [
      // The file has a space after this text.
      ['Normal ', 'active'],
      ['NORMAL', 'active'],
      ...parseCases(`
        Normal = active
        Strike Off Listed = active
        Liquidation = in_liquidation
        In Liquidation = in_liquidation
        Liquidation Stayed = in_liquidation
        Receivership = insolvent
        Examinership = insolvent
        Dissolved = dissolved
        Dissolved (liquidation) = dissolved
        Dissolved PostMerger = dissolved
        Dissolved by Divis = dissolved
        Struck off = dissolved
        STRUCK OFF = dissolved
        Deleted CB Conversion = dissolved
        Deleted CB Merger = dissolved
        Deleted as per SE Tr = dissolved
        Deleted per SE Merge = dissolved
        Removed = dissolved
        Converted = dissolved
        Ceased = inactive
        Ceased IRL = inactive
      `),
    ],
    others: { values: ['', 'Abnormal', 'Normal again', 'Not dissolved', 'Pending'], shown: 'unknown', reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(ie, 'companies', {}, (value) => ({ row: { ...company, company_type: value } }), readFormLabel),
    cases: [
      ...[
        'LTD - Private Company Limited by Shares',
        'PLC - Public Limited Company',
        'CLG - Company Limited by Guarantee',
        'DAC - Designated Activity Company (limited by shares)',
        'DAC - Designated Activity Company (limited by guarantee)',
        'ULC - Private Unlimited Company',
        'PUC - Public Unlimited Company',
        'PULC - Public Unlimited Company that has no share capital',
        'SE - Societas Europaea',
        'Limited Partnership',
        'EEIG',
        'ICAV',
      ].map((label) => [label, label] as const),
      ['Unknown', null],
      [' UNKNOWN ', null],
      ['', null],
    ],
  },
];

export const without: Without = { role: 'the file has no persons' };
