import type { Json } from '../../../src/registers/contract.ts';
import { gleif } from '../../../src/registers/gleif/register.ts';
import { type Case, type CodeList, mapWith, parseCases, readFormLabel, readStatus, type Without } from './code-list.ts';
import { ELF_NAMES } from './gleif-legal-forms.ts';

type Tree = { readonly [key: string]: Json };
const record = (entity: Tree) => ({
  row: {
    LEI: '001GPB6A9XPE8XJICC14',
    Entity: {
      LegalName: { $: 'Quiet Pond' },
      LegalJurisdiction: { $: 'GB' },
      EntityStatus: { $: 'ACTIVE' },
      ...entity,
    },
    Registration: {},
  },
});
/** `ACTIVE`, or with an event: `ACTIVE LIQUIDATION IN_PROGRESS`. */
const withEvent = (value: string) => {
  const [status = '', type, state = ''] = value.split(' ');
  const event: Tree = { '@event_status': state, LegalEntityEventType: { $: type ?? '' } };
  const events = type === undefined ? {} : { LegalEntityEvents: { LegalEntityEvent: [event] } };
  return record({ EntityStatus: { $: status }, ...events });
};

/** Events after which a company is the same as before, or of which the type alone does not say that it ends. */
const OTHER_EVENTS =
  'ABSORPTION ACQUISITION_BRANCH BREAKUP CHANGE_HQ_ADDRESS CHANGE_LEGAL_ADDRESS CHANGE_LEGAL_FORM CHANGE_LEGAL_NAME CHANGE_OTHER_NAMES ' +
  'COMPLETE_ASSET_TRANSFER DEMERGER MERGERS_AND_ACQUISITIONS REORGANIZATION SPINOFF TRANSFORMATION_BRANCH_TO_SUBSIDIARY ' +
  'TRANSFORMATION_SUBSIDIARY_TO_BRANCH TRANSFORMATION_UMBRELLA_TO_STANDALONE';

export const codeLists: readonly CodeList[] = [
  {
    list: 'status',
    map: mapWith(gleif, 'golden copy (JSON)', {}, withEvent, readStatus),
    cases: [
      ...parseCases(`
        ACTIVE = active
        INACTIVE = inactive
        NULL = unknown
        ACTIVE LIQUIDATION IN_PROGRESS = in_liquidation
        ACTIVE INSOLVENCY IN_PROGRESS = insolvent
        ACTIVE BANKRUPTCY IN_PROGRESS = insolvent
        ACTIVE VOLUNTARY_ARRANGEMENT IN_PROGRESS = insolvent
        ACTIVE DISSOLUTION IN_PROGRESS = in_liquidation
        INACTIVE DISSOLUTION COMPLETED = dissolved
        INACTIVE BANKRUPTCY COMPLETED = dissolved
        INACTIVE LIQUIDATION COMPLETED = dissolved
        INACTIVE INSOLVENCY COMPLETED = inactive
        INACTIVE VOLUNTARY_ARRANGEMENT COMPLETED = inactive
      `),
      ...['LIQUIDATION', 'INSOLVENCY', 'BANKRUPTCY', 'VOLUNTARY_ARRANGEMENT', 'DISSOLUTION'].flatMap((type): Case[] => [
        [`ACTIVE ${type} COMPLETED`, 'active'],
        [`ACTIVE ${type} WITHDRAWN_CANCELLED`, 'active'],
        [`INACTIVE ${type} IN_PROGRESS`, 'inactive'],
        [`INACTIVE ${type} WITHDRAWN_CANCELLED`, 'inactive'],
      ]),
      ...OTHER_EVENTS.split(' ').flatMap((type): Case[] => [
        [`ACTIVE ${type} IN_PROGRESS`, 'active'],
        [`INACTIVE ${type} COMPLETED`, 'inactive'],
      ]),
    ],
    others: { values: ['active', 'DISSOLVED', ''], shown: 'unknown', reported: true },
  },
  {
    list: 'legalForm',
    map: mapWith(
      gleif,
      'golden copy (JSON)',
      {},
      (value) => record({ LegalForm: { EntityLegalFormCode: { $: value } } }),
      readFormLabel,
    ),
    cases: [...parseCases(ELF_NAMES), ['8888', null], ['9999', null], ['', null]],
    others: { values: ['0000', 'ZZZZ', 'h0po'], shown: null, reported: true },
  },
];

export const without: Without = { role: 'Level 1 has no persons and no parents' };
