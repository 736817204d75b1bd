/** Sweden: the register of Bolagsverket, with activities and states of Statistics Sweden (SCB). */
import { composeAddress, EUROPEAN_STYLE } from '../address.ts';
import { checkLuhn } from '../check-digits.ts';
import { type Cell, defineRegister, type EntityStatus, type MapContext } from '../contract.ts';
import { readCodeLists } from '../data-files.ts';
import { type Common, fieldsOf, findGravest, type State, tableFields } from '../fields.ts';
import { readCompactDate } from '../parsing.ts';
import { describeRecord, ownEnd, ownNumber, ownStatus } from '../record.ts';

const [TABLE, SCB, NUMBER] = ['bolagsverket', 'SCB', 'organisationsidentitet'];
const PROCEDURES = 'pagandeAvvecklingsEllerOmstruktureringsforfarande';
const { labels, meanings } = readCodeLists('se');
const [PROCEDURE_LABELS, PROCEDURE_STATUSES] = [labels('procedure'), meanings<EntityStatus>('procedure')];
export const isValidNumber = checkLuhn(10);

/** The file has NUL characters and the word null. `AB-ORGFO` is the code AB of a list. */
const find = (column: string) => (cell: Cell) =>
  cell(column)
    .replaceAll('\0', '')
    .replace(/^null$|-(?:ORGFO|AVORG|LAND)$/, '');
const { text, day, group, parsed, code, activity, listOf } = fieldsOf<Cell, unknown>(find);
const { joined } = tableFields();
const readReason = code('avregistreringsorsak', labels('reason'));
const split = (column: string, separator: string) => (cell: Cell) => find(column)(cell).split(separator);

/** `NAME$FORETAGSNAMN-ORGNAM$1985-10-01`, several with a bar between them. The first one is the name of the company. */
function readNames(cell: Cell) {
  const entries = split('organisationsnamn', '|')(cell).map((entry) => entry.split('$').map((part) => part.trim()));
  return entries.flatMap(([name, type]) =>
    name ? [{ name, isForeign: type?.startsWith('FORNAMN_FRSPRAK') === true }] : [],
  );
}

/** Further names, also those of further rows: a row for each name that is protected. */
const listOtherNames = (cell: Cell, _context: unknown, { rows }: Common) =>
  [...readNames(cell).slice(1), ...rows(TABLE).flatMap(readNames)].map(
    ({ name, isForeign }) => ({ name, type: isForeign ? 'translation' : 'trading' }) as const,
  );

/** `|LI-AVOMFO$2026-04-01`: the open procedures. Those of the list AVSLAVOMFO have ended. */
function listStates(cell: Cell, context: MapContext<unknown>): State[] {
  return split(
    PROCEDURES,
    '|',
  )(cell).flatMap((entry) => {
    const [, code = ''] = /^(\w+)-AVOMFO\b/.exec(entry.trim()) ?? [];
    if (code === '') return [];
    const status = PROCEDURE_STATUSES.get(code);
    if (status === undefined) context.reportUnknown('status', PROCEDURES, code);
    const since = /\d{4}-\d{2}-\d{2}/.exec(entry)?.[0];
    return [{ status: status ?? 'unknown', code, label: PROCEDURE_LABELS.get(code), since }];
  });
}

/** `Ensillre 2286$$ÅNGE$84100$SE-LAND`: street, recipient, city, post code and country. */
function readAddress(cell: Cell) {
  const parts = split('postadress', '$')(cell).map((part) => part.trim());
  if (parts.length < 5) return null;
  const [street = '', careOf = '', city = '', written = '', country = ''] = parts;
  const postCode = written.replace(/^(\d{3})(\d{2})$/, '$1 $2');
  const countryCode = /^[A-Z]{2}$/.test(country) ? country : null;
  return composeAddress(
    { street, careOf: careOf.replace(/^c\/o\s+/i, ''), city, postCode, countryCode },
    EUROPEAN_STYLE,
  );
}

const readActivities = listOf(...['Ng1', 'Ng2', 'Ng3', 'Ng4', 'Ng5'].map((column) => activity('SNI', column, {})));

const mapCompany = describeRecord<Cell, unknown>({
  name: (cell) => readNames(cell)[0]?.name ?? null,
  number(cell, context) {
    const [number = ''] = split(NUMBER, '$')(cell);
    if (!/^\d{10}$/.test(number)) context.report(NUMBER, number, 'not an organisation number');
    return number || null;
  },
  registeredAt: day('registreringsdatum'),
  endedAt: day('avregistreringsdatum'),
  status(cell, context, common) {
    const found = findGravest(listStates(cell, context)) ?? { status: 'active' };
    if (common.endedAt === null) return found;
    const { code: reasonCode, label: reason } = readReason(cell, context, common) ?? {};
    return { ...found, status: 'dissolved', reasonCode, reason };
  },
  legalForm: code('organisationsform', labels('form'), 'legalForm'),
  registrations: [ownNumber('Bolagsverket', isValidNumber)],
  // SCB writes 00000 if an activity is not known, and * if it is not published.
  activities: joined(SCB, (...row) =>
    (readActivities(...row) ?? []).filter(({ code }) => /^(?!00000)\d{5}$/.test(code ?? '')),
  ),
  registry: {
    status: ownStatus,
    statusInferredFrom: (_cell, _context, { state }) =>
      state.code || state.reasonCode ? null : 'avregistreringsdatum',
    endedAt: ownEnd,
    otherNames: listOtherNames,
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

const PERSON = { rejected: 'a sole trader, whose number is a personal number', expected: true } as const;
const isPerson = (cell: Cell) => cell(NUMBER).includes('PERSON-IDORG') || cell('organisationsform') === 'E-ORGFO';
const SITE = 'https://vardefulla-datamangder.bolagsverket.se';

export const se = defineRegister({
  id: 'se',
  name: 'Swedish Companies Register',
  nativeName: 'Bolagsverkets företagsregister',
  publisher: 'Bolagsverket; Statistiska centralbyrån (SCB)',
  licence: 'Unknown',
  attribution: 'Bolagsverket; Statistiska centralbyrån (SCB)',
  sourceUrl: 'https://bolagsverket.se/apierochoppnadata/nedladdningsbarafiler.2517.html',
  updates: 'weekly',
  fetch: {
    kind: 'fixed',
    files: [{ url: `${SITE}/bolagsverket/bolagsverket_bulkfil.zip` }, { url: `${SITE}/scb/scb_bulkfil.zip` }],
    size: { min: 150_000_000, max: 1_600_000_000 },
    readIn: 'public importers of both files',
  },
  files: ['bolagsverket_bulkfil.zip', 'scb_bulkfil.zip'],
  minimumRows: 2_300_000,
  vatNumber: /^SE(\d{10})01$/,
  numberColumns: [NUMBER],
  letters: /[åäö]/iu,
  sources: [
    {
      name: TABLE,
      csv: { delimiter: ';', quote: '"', encoding: 'utf-8', quotesInside: true },
      required: [NUMBER, 'organisationsnamn', 'organisationsform', 'postadress'],
      key: NUMBER,
      writeKey: (written) => written.split('$', 1)[0] ?? '',
      gather: {
        column: NUMBER,
        choose: (rows) =>
          Math.max(
            0,
            rows.findIndex((row) => row('namnskyddslopnummer') === '1'),
          ),
      },
      map: (cell, ...rest) => (isPerson(cell) ? PERSON : mapCompany(cell, ...rest)),
    },
    {
      name: SCB,
      csv: { delimiter: '\t', quote: null, encoding: 'iso-8859-1' },
      required: ['PeOrgNr', 'JurForm', 'Ng1'],
      // Other numbers are those of persons.
      joins: { column: 'PeOrgNr', keep: (cell) => cell('PeOrgNr').startsWith('16') },
      writeKey: (written) => written.slice(2),
      without: 'companies have no activities and no states of SCB',
    },
    {
      name: 'answer of the API',
      format: { type: 'json' },
      required: [NUMBER],
      refusal: 'this is an answer of the API about one company. Import bolagsverket_bulkfil.zip and scb_bulkfil.zip',
    },
  ],
  writeNumber: (written) => written.replace(/\D/g, ''),
  numbers: [{ kind: 'organisationsnummer', form: /^\d{10}$/, check: isValidNumber }],
});
