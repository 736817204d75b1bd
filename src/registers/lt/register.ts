/**
 * Lithuania: the Register of Legal Entities (JAR), from the daily CSV or from records of the state's data API (Spinta). The API has other names
 * for the same fields. The API refers to addresses, forms and statuses by its own ids, and adds their codes and names only to a request that
 * selects them.
 */
import { fold } from '../../base/fold.ts';
import { type PlaceMarks, readPlaces } from '../address.ts';
import { checkModulo11 } from '../check-digits.ts';
import { type Cell, defineRegister, type EntityStatus } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Field, type State, tableFields } from '../fields.ts';
import { compact, splitList } from '../parsing.ts';
import { describeRecord, mapJson, ownEnd, ownNumber, ownStatus, type RecordTable } from '../record.ts';
import type { AddressOf } from '../vocabulary.ts';

type LtField<Value> = Field<Cell, unknown, Value>;

const DEREGISTERED = { status: 'dissolved', code: '10', label: 'Išregistruotas' } as const;

const lists = readCodeLists('lt');
const byText = <Value>(list: ReadonlyMap<string, Value>) =>
  new Map(Array.from(list, ([text, value]) => [fold(text), value]));
const STATUSES_BY_TEXT = byText(lists.meanings<EntityStatus>('text'));
const CODES_BY_TEXT = byText(lists.labels('text'));

const isValid = checkModulo11([1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 9, 1]);

/** The check digit is known for nine-digit codes only. Old codes may have seven digits; for them the result is null. */
export function hasValidCheckDigit(number: string): boolean | null {
  return /^\d{9}$/.test(number) ? isValid(number) : null;
}

const { text, day, number, legalForm, groupWith, first } = tableFields();

const ENTITY = {
  name: text('ja_pavadinimas'),
  number: number('ja_kodas', /^\d+$/, 'not a registration number'),
  registrations: [ownNumber('Registrų centras', hasValidCheckDigit)],
} satisfies Partial<RecordTable<Cell, unknown>>;

/** Describes both files of the register. The file of deregistered entities has no status. */
const describeFile = (endedAt: LtField<string>, status: LtField<State>) =>
  describeRecord<Cell, unknown>({
    ...ENTITY,
    registeredAt: day('ja_reg_data'),
    endedAt,
    status,
    legalForm: legalForm('form_kodas', 'form_pavadinimas'),
    registry: {
      status: ownStatus,
      endedAt: ownEnd,
      address: readAddress(text('adresas')),
      exportedAt: day('formavimo_data'),
    },
  });

const mapEntity = describeFile(() => null, readStatus('stat_kodas', 'stat_pavadinimas', day('stat_data_nuo')));
const mapEnded = describeFile(day('isreg_data'), (_cell, _context, { endedAt }) => ({
  ...DEREGISTERED,
  since: endedAt,
}));

const readApiStatus = readStatus('statusas.kodas', 'statusas.pavadinimas', day('stat_data'));
const readApiStatusDay = day('stat_data');

/** Form and status of an API record are ids in other tables, unless the request selected their names too. */
const mapApiRow = describeRecord<Cell, unknown>({
  ...ENTITY,
  registeredAt: day('reg_data'),
  endedAt: day('isreg_data'),
  status(cell, ...rest) {
    // A record with only an id has no status that could be counted as unknown.
    const hasStatus = cell('statusas.kodas').trim() !== '' || cell('statusas.pavadinimas').trim() !== '';
    const state = hasStatus ? readApiStatus(cell, ...rest) : { since: readApiStatusDay(cell, ...rest) };
    return { status: 'unknown', ...state, ...(cell('isreg_data').trim() !== '' && { status: 'dissolved' }) };
  },
  legalForm: groupWith(['label'], { code: text('forma.kodas'), label: text('forma.pavadinimas') }),
  registry: {
    status: ownStatus,
    endedAt: ownEnd,
    address: readAddress(first(text('pilnas_adresas'), text('adresas'))),
    apiId: text('_id'),
    legalFormId: text('forma._id'),
    statusId: text('statusas._id'),
    addressId: text('adresas._id'),
  },
});

/** The status of the code or, if it is missing or unknown, of the text. */
function readStatus(codeColumn: string, textColumn: string, since: LtField<string>): LtField<State> {
  return (cell, context, common) => {
    const [code, label] = [cell(codeColumn).trim(), cell(textColumn).trim()];
    const key = fold(label);
    const status = lists.meanings<EntityStatus>('status').get(code) ?? STATUSES_BY_TEXT.get(key);
    if (status === undefined) context.reportUnknown('status', code === '' ? textColumn : codeColumn, code || label);
    return {
      status: status ?? 'unknown',
      code: code || (CODES_BY_TEXT.get(key) ?? ''),
      label: label || null,
      since: since(cell, context, common),
    };
  };
}

const POST_CODE = /\bLT-\d{5}\b/;

/** A settlement has a mark (city `m.`, town `mstl.`, village `k.`, farmstead `vs.`) or is a name without dots and digits. */
const MARKS: PlaceMarks = {
  region: / apskr\.$/,
  municipality: / sav\.$/,
  district: / sen\.$/,
  settlement: /^(\p{Lu}.* (?:m|mstl|k|vs)\.)(?: \d.*)?$|^(?!.* (?:gatvė|prospektas|alėja|plentas)$)\p{Lu}[^.\d]*$/u,
};

/** An address is one text, from the largest place to the house and the post code: `Jonavos r. sav., Rukla, Pušų g. 7-3, LT-55289`. */
function readAddress(field: LtField<string>): LtField<AddressOf> {
  return (...row) => {
    const address = field(...row);
    if (address === null) return null;
    const postCode = POST_CODE.exec(address)?.[0];
    const parts = splitList(address.replace(POST_CODE, '').replace(/ sav\. (?=\p{Lu})/u, ' sav., '), ',');
    const { rest, ...places } = readPlaces(parts, MARKS);
    const street = places.city !== null && rest.length === 1 ? rest[0] : null;
    const isInLithuania = postCode !== undefined || places.municipality !== null;
    return { text: address, ...compact({ street, postCode, ...places, countryCode: isInLithuania ? 'LT' : null }) };
  };
}

export const lt = defineRegister({
  id: 'lt',
  tables: {
    JAR_IREGISTRUOTI: { map: mapEntity },
    JAR_ISREGISTRUOTI: { map: mapEnded },
    'JuridinisAsmuo (CSV)': { map: mapApiRow },
  },
  trees: { 'JuridinisAsmuo (JSON)': { map: mapJson(mapApiRow) } },
  numbers: [{ kind: 'legal entity code', form: /^(?:\d{7}|\d{9})$/, check: hasValidCheckDigit }],
});
