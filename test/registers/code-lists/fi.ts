import type { Json } from '../../../src/registers/contract.ts';
import { fi } from '../../../src/registers/fi/register.ts';
import { type CodeList, mapWith, parseCases, readStatus, type Without } from './code-list.ts';

const source = fi.sources[0]?.name ?? '';
const company = (fields: { readonly [key: string]: Json }) => ({
  row: {
    businessId: { value: '0112038-9' },
    names: [{ name: 'Leija Oy', type: '1' }],
    tradeRegisterStatus: '1',
    status: '2',
    ...fields,
  },
});
const withSituation = (type: string) => company({ companySituations: [{ type }] });
const readOwn = (key: 'status' | 'businessIdStatus') => (record: Parameters<typeof readStatus>[0]) =>
  (record.registry[key] as { readonly label?: string } | undefined)?.label;
const withEntry = (register: string) => company({ registeredEntries: [{ type: '1', register, authority: '1' }] });

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(fi, source, {}, (tradeRegisterStatus) => company({ tradeRegisterStatus }), readStatus),
    cases: parseCases(`
      0  active
      1  active
      2  inactive
      3  active
      4  dissolved
    `),
    others: { values: '56789', shown: 'unknown', reported: true },
  },
  {
    list: 'status',
    map: mapWith(fi, source, {}, (tradeRegisterStatus) => company({ tradeRegisterStatus }), readOwn('status')),
    cases: parseCases(`
      0  Unregistered
      1  Registered
      2  Removed
      3  Start-up
      4  Ceased
    `),
  },
  {
    list: 'status',
    map: mapWith(fi, source, {}, (status) => company({ status }), readStatus),
    cases: parseCases(`
      1  inactive
      2  active
      5  dissolved
    `),
    others: { values: '0346789', shown: 'active', reported: true },
  },
  {
    list: 'status',
    map: mapWith(fi, source, {}, (status) => company({ status }), readOwn('businessIdStatus')),
    cases: parseCases(`
      1  Pending
      2  Valid
      5  Invalidated
    `),
  },
  {
    list: 'status',
    map: mapWith(fi, source, {}, withSituation, readStatus),
    cases: parseCases(`
      KONK  insolvent
      SANE  insolvent
      SELTILA  in_liquidation
    `),
    others: { values: ['UUSI'], shown: 'active', reported: true },
  },
  {
    list: 'status',
    map: mapWith(
      fi,
      source,
      {},
      (description) =>
        company({ companySituations: [{ type: 'X', descriptions: [{ languageCode: '1', description }] }] }),
      readStatus,
    ),
    cases: parseCases(`
      Konkurssi  insolvent
      Yrityssaneeraus  insolvent
      SANEERAUS  insolvent
      Selvitystila  in_liquidation
      Likvidation  in_liquidation
    `),
  },
  {
    list: 'activity',
    map: mapWith(fi, source, {}, withEntry, ({ registry }) => {
      const [entry] = registry.registers as readonly { readonly registerName?: string }[];
      return entry?.registerName;
    }),
    cases: parseCases(`
      1  Trade register
      2  Register of foundations
      3  Register of associations
      4  Tax administration
      5  Prepayment register
      6  VAT register
      7  Employer register
    `),
    others: { values: '089', shown: null, reported: false },
  },
];

export const without: Without = {
  legalForm: 'the file has the text of every form in three languages',
  role: 'the file has no persons',
};
