/** Maps an object of the open data to a record. Lists hold current and past entries; past ones have an `endDate`. */
import type { Activity, EntityStatus, MapContext, MappedRecord, Rejection } from '../contract.ts';
import { compact, readDayOf, readText, type Tree, textOf, treeOf, treesOf } from '../parsing.ts';
import { isValidNumber } from './number.ts';
import {
  describe,
  describeAll,
  isCurrent,
  listNames,
  listVat,
  readAddress,
  readBusinessLine,
  readEntry,
  readPreviousName,
} from './registry.ts';

type Context = MapContext<null>;

const AUTHORITY = 'Patentti- ja rekisterihallitus';

export function mapCompany(record: Tree, context: Context): MappedRecord | Rejection {
  const names = treesOf(record, 'names');
  const name = findName(names);
  if (name === null) return { rejected: 'no name' };
  const number = readText(textOf(treeOf(record, 'businessId'), 'value'));
  const registeredAt =
    readDayOf(record, 'registrationDate', context) ??
    readDayOf(treeOf(record, 'businessId'), 'registrationDate', context);
  const endedAt = readDayOf(record, 'endDate', context);
  const entries = treesOf(record, 'registeredEntries');
  const status = readText(textOf(record, 'tradeRegisterStatus'));
  const forms = treesOf(record, 'companyForms');
  const form = forms.find(isCurrent) ?? {};
  const national = { authority: AUTHORITY, type: 'national', status, registeredAt, endedAt };
  return {
    number,
    canonicalName: name,
    status: readStatus(record, status, endedAt, context),
    legalForm: describe(form, 'fi') ?? readText(textOf(form, 'type')),
    registeredAt,
    registrations: number === null ? [] : [{ ...national, number }, ...listVat(number, entries, context)],
    activities: listActivities(treeOf(record, 'mainBusinessLine')),
    registry: compact({
      numberValid: number === null ? null : isValidNumber(number),
      businessIdSince: readDayOf(treeOf(record, 'businessId'), 'registrationDate', context),
      euId: textOf(treeOf(record, 'euId'), 'value'),
      tradeRegisterStatus: status,
      parallelNames: listNames(names, '2'),
      auxiliaryNames: listNames(names, '3'),
      auxiliaryNameDetails: listNames(names, '4'),
      previousNames: names.filter((entry) => !isCurrent(entry)).map((entry) => readPreviousName(entry, context)),
      legalFormCode: textOf(form, 'type'),
      legalFormNames: describeAll(form),
      legalFormSince: readDayOf(form, 'registrationDate', context),
      previousLegalForms: forms.filter((entry) => !isCurrent(entry)).map((entry) => readEntry(entry, context)),
      mainBusinessLine: readBusinessLine(treeOf(record, 'mainBusinessLine'), context),
      situations: treesOf(record, 'companySituations').map((entry) => readEntry(entry, context)),
      registers: entries.map((entry) => readEntry(entry, context)),
      addresses: treesOf(record, 'addresses').map((address) => readAddress(address, context)),
      website: textOf(treeOf(record, 'website'), 'url'),
      websiteSince: readDayOf(treeOf(record, 'website'), 'registrationDate', context),
      endedAt,
      lastModified: textOf(record, 'lastModified'),
    }),
  };
}

/** The main name (type 1) without an end date. If all have ended, the one that ended last. */
function findName(names: readonly Tree[]): string | null {
  const main = names.filter((entry) => textOf(entry, 'type') === '1');
  const latest = main.toSorted((one, other) => (textOf(one, 'endDate') < textOf(other, 'endDate') ? 1 : -1));
  return readText(textOf(main.find(isCurrent) ?? latest[0] ?? names[0] ?? {}, 'name'));
}

/**
 * The codes of situations are not documented, so their Finnish, Swedish and English descriptions are searched instead:
 * bankruptcy (konkurssi, konkurs) and restructuring (saneeraus, sanering), liquidation (selvitystila, likvidation).
 */
const INSOLVENT = /konk|bankrupt|sane|restructur|reorgani/i;
const LIQUIDATION = /selv|selti|likvid|liquid/i;

/** The field `status` is not used: it was 2 on all of a hundred sampled records. */
function readStatus(record: Tree, code: string | null, endedAt: string | null, context: Context): EntityStatus {
  if (endedAt !== null) return 'dissolved';
  for (const situation of treesOf(record, 'companySituations').filter(isCurrent)) {
    const text = [textOf(situation, 'type'), ...Object.values(describeAll(situation))].join(' ');
    if (INSOLVENT.test(text)) return 'insolvent';
    if (LIQUIDATION.test(text)) return 'in_liquidation';
    context.report('companySituations', text, 'unknown situation');
  }
  return code === '1' ? 'active' : code === '4' ? 'dissolved' : 'unknown';
}

function listActivities(line: Tree): Activity[] {
  const code = readText(textOf(line, 'type'));
  return code === null ? [] : [{ type: 'unlicensed', code, label: describe(line, 'fi') }];
}
