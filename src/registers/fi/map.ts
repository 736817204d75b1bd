/** Maps an object of the open data to a record. Lists hold current and past entries; past ones have an `endDate`. */
import type { MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDayOf, readText, type Tree, textOf, treeOf, treesOf } from '../parsing.ts';
import { readAddresses } from './address.ts';
import { isCurrent, readEntry } from './descriptions.ts';
import {
  findName,
  listActivities,
  listOtherNames,
  listPreviousNames,
  listRegistrations,
  readLegalForm,
  readRegisterEntry,
} from './registry.ts';
import { BUSINESS_ID_STATUSES, listSituations, readStatus, TRADE_REGISTER_STATUSES } from './status.ts';

type Context = MapContext<null>;

export function mapCompany(record: Tree, context: Context): MappedRecord | Rejection {
  const names = treesOf(record, 'names');
  const canonicalName = findName(names);
  if (canonicalName === null) return { rejected: 'no name' };
  const businessId = treeOf(record, 'businessId');
  const businessIdSince = readDayOf(businessId, 'registrationDate', context);
  const registeredAt = readDayOf(record, 'registrationDate', context) ?? businessIdSince;
  const endedAt = readDayOf(record, 'endDate', context);
  const forms = treesOf(record, 'companyForms');
  const form = forms.find(isCurrent) ?? {};
  const website = treeOf(record, 'website');
  return {
    number: readText(textOf(businessId, 'value')),
    canonicalName,
    status: readStatus(record, endedAt, context),
    legalForm: readLegalForm(form, context),
    registeredAt,
    registrations: listRegistrations(record, { registeredAt, endedAt }, context),
    activities: listActivities(treeOf(record, 'mainBusinessLine'), context),
    registry: compact({
      status: readCode(textOf(record, 'tradeRegisterStatus'), TRADE_REGISTER_STATUSES),
      endedAt,
      previousNames: listPreviousNames(names, context),
      otherNames: listOtherNames(names, context),
      ...readAddresses(record, context),
      contacts: compact({ websites: [textOf(website, 'url')].filter((url) => url !== '') }),
      websiteSince: readDayOf(website, 'registrationDate', context),
      businessIdSince,
      businessIdStatus: readCode(textOf(record, 'status'), BUSINESS_ID_STATUSES),
      legalFormSince: readDayOf(form, 'registrationDate', context),
      previousLegalForms: forms.filter((entry) => !isCurrent(entry)).map((entry) => readEntry(entry, context)),
      situations: listSituations(record, context),
      registers: treesOf(record, 'registeredEntries').map((entry) => readRegisterEntry(entry, context)),
      lastModified: textOf(record, 'lastModified'),
    }),
  };
}

function readCode(code: string, labels: ReadonlyMap<string, string>) {
  return compact({ code, label: labels.get(code) });
}
