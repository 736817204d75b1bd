/** Sweden: the register of Bolagsverket, with activities and states of Statistics Sweden (SCB). */
import { composeAddress, EUROPEAN_STYLE } from '../address.ts';
import { checkLuhn } from '../check-digits.ts';
import { type Cell, chooseFirst, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { fieldsOf, findGravest, type State, tableFields } from '../fields.ts';
import { readCompactDate } from '../parsing.ts';
import { describeRecord, ownEnd, ownInference, ownNumber, ownStatus } from '../record.ts';

const [TABLE, SCB, NUMBER] = ['bolagsverket', 'SCB', 'organisationsidentitet'];
const ENDED = 'avregistreringsdatum';
const PROCEDURES = 'pagandeAvvecklingsEllerOmstruktureringsforfarande';
const { labels, meanings } = readCodeLists('se');
const [PROCEDURE_LABELS, PROCEDURE_STATUSES] = [labels('procedure'), meanings<EntityStatus>('procedure')];
const isValidNumber = checkLuhn(10);

/** The file has NUL characters and the word null. `AB-ORGFO` is the code AB of a list. */
const find = (column: string) => (cell: Cell) => cell(column).replace(/\0+|^null$|-(?:ORGFO|AVORG|LAND)$/g, '');
const { text, day, group, parsed, code, activity, listOf, split } = fieldsOf<Cell, unknown>(find);
const { joined } = tableFields();
const readReason = code('avregistreringsorsak', labels('reason'));
const readActivities = listOf(...['Ng1', 'Ng2', 'Ng3', 'Ng4', 'Ng5'].map((column) => activity('SNI', column, {})));

/** A name is `NAME$FORETAGSNAMN-ORGNAM$1985-10-01`. Bars separate several names, and the first name is the name of the company. */
const splitNames = split('organisationsnamn', '|', '$');
const listNames = (cell: Cell) => splitNames(cell).filter(([name]) => name);
const splitNumber = split(NUMBER, '|', '$');
/** A procedure is `LI-AVOMFO$2026-04-01`. Procedures of the list AVSLAVOMFO have ended. */
const splitProcedures = split(PROCEDURES, '|', '$');
const splitAddress = split('postadress', '|', '$');

function listProcedures(cell: Cell, context: MapContext<unknown>): State[] {
  return splitProcedures(cell).flatMap(([written = '', ...more]) => {
    const code = /^(\w+)-AVOMFO\b/.exec(written)?.[1];
    if (code === undefined) return [];
    const since = /\d{4}-\d{2}-\d{2}/.exec(more.join())?.[0];
    const status = PROCEDURE_STATUSES.get(code);
    if (status === undefined) context.reportUnknown('status', PROCEDURES, code);
    return [{ status: status ?? 'unknown', code, label: PROCEDURE_LABELS.get(code), since }];
  });
}

/** `Ensillre 2286$$ÅNGE$84100$SE-LAND`: street, recipient, city, post code and country. */
function readAddress(cell: Cell) {
  const [[street = '', careOf = '', city = '', postCode = '', country] = []] = splitAddress(cell);
  if (country === undefined) return null;
  const parts = {
    street,
    careOf: careOf.replace(/^c\/o\s+/i, ''),
    city,
    postCode: postCode.replace(/^\d{3}(?=\d\d$)/, '$& '),
  };
  return composeAddress({ ...parts, countryCode: /^[A-Z]{2}$/.exec(country)?.[0] ?? null }, EUROPEAN_STYLE);
}

const mapCompany = describeRecord<Cell, unknown>({
  excluded: [
    'a sole trader, whose number is a personal number',
    (cell) => cell(NUMBER).includes('PERSON-IDORG') || cell('organisationsform') === 'E-ORGFO',
  ],
  name: (cell) => listNames(cell)[0]?.[0] ?? null,
  number(cell, context) {
    const [[number = ''] = []] = splitNumber(cell);
    if (!/^\d{10}$/.test(number)) context.report(NUMBER, number, 'not an organisation number');
    return number || null;
  },
  registeredAt: day('registreringsdatum'),
  endedAt: day(ENDED),
  status(cell, context, common) {
    const found = findGravest(listProcedures(cell, context)) ?? { status: 'active' };
    if (common.endedAt === null) return { ...found, inferredFrom: found.code ? null : ENDED };
    const { code: reasonCode, label: reason } = readReason(cell, context, common) ?? {};
    return { ...found, status: 'dissolved', reasonCode, reason, inferredFrom: found.code || reasonCode ? null : ENDED };
  },
  legalForm: code('organisationsform', labels('form'), 'legalForm'),
  registrations: [ownNumber('Bolagsverket', isValidNumber)],
  // SCB writes 00000 if an activity is not known, and * if it is not published.
  activities: joined(SCB, (...row) =>
    (readActivities(...row) ?? []).filter(({ code }) => /^(?!00000)\d{5}$/.test(code ?? '')),
  ),
  registry: {
    status: ownStatus,
    statusInferredFrom: ownInference,
    endedAt: ownEnd,
    // Further names, also from further rows: the file has a row for each name that is protected.
    otherNames: (cell, _context, { rows }) =>
      [...listNames(cell).slice(1), ...rows(TABLE).flatMap(listNames)].map(
        ([name = '', type]) =>
          ({ name, type: type?.startsWith('FORNAMN_FRSPRAK') ? 'translation' : 'trading' }) as const,
      ),
    address: readAddress,
    purpose: text('verksamhetsbeskrivning'),
    registrationCountry: text('registreringsland'),
    statistics: joined(
      SCB,
      group({
        enterprise: code('FtgStat', labels('enterprise')),
        unit: code('JEStat', labels('unit')),
        legalForm: code('JurForm', labels('unit form')),
        registeredAt: parsed(readCompactDate, 'not a date')('RegDatKtid'),
      }),
    ),
  },
});

export const se = defineRegister({
  id: 'se',
  tables: {
    [TABLE]: {
      writeKey: (written) => written.split('$', 1)[0] ?? '',
      gather: { choose: chooseFirst((row) => row('namnskyddslopnummer') === '1') },
      map: mapCompany,
    },
    // Numbers that do not begin with 16 belong to persons.
    [SCB]: { joins: { keep: (cell) => cell('PeOrgNr').startsWith('16') }, writeKey: (written) => written.slice(2) },
  },
  writeNumber: (written) => written.replace(/\D/g, ''),
  numbers: [{ kind: 'organisationsnummer', form: /^\d{10}$/, check: isValidNumber }],
});
