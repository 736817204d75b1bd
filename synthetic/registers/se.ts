/** Invented companies in the file of Bolagsverket, and what Statistics Sweden has of them. */
import { listColumns } from '../../src/registers/contract.ts';
import { isValidNumber } from '../../src/registers/se/register.ts';
import { completeNumber, createChance, createSerials, makeCsv, pickByShare } from '../chance.ts';
import { makeArchive, type SyntheticFile } from '../file.ts';
import { readLists } from '../lists.ts';

const lists = readLists('se');
const [FORMS, STATES, REASONS] = [lists.shares('form'), lists.shares('state'), lists.shares('reason')];
const BOLAGSVERKET = {
  dialect: { delimiter: ';', quote: '"', encoding: 'utf-8' },
  quoting: 'all',
} as const;
const STATISTICS = { dialect: { delimiter: '\t', quote: null, encoding: 'iso-8859-1' } } as const;

export function generateFiles(rows: number, seed: number): SyntheticFile {
  const list = (table: 'bolagsverket' | 'SCB') => {
    const columns = listColumns('se', table);
    return [columns, () => generateRows(table, columns, rows, seed)] as const;
  };
  return makeArchive('bulkfiler-2026-11.zip', [
    { name: 'bolagsverket_bulkfil.txt', content: makeCsv(BOLAGSVERKET, ...list('bolagsverket')) },
    { name: 'scb_bulkfil_JE_20261102T020000_1.txt', content: makeCsv(STATISTICS, ...list('SCB')) },
  ]);
}

/** Both files are made of the same companies. One of twenty is missing in the statistics. */
function* generateRows(table: string, columns: readonly string[], rows: number, seed: number): Generator<string[]> {
  const chance = createChance(seed);
  const takeSerial = createSerials(chance, 6);
  for (let row = 0; row < rows; row++) {
    const [form = '', ending = '', unitForm = ''] = pickByShare(chance, FORMS);
    const isPerson = form === 'E' && row % 100 === 0;
    const number = completeNumber(isValidNumber, `556${takeSerial()}`, chance.is(0.001));
    const name = `${chance.pick(lists.words('words'))} ${chance.pick(lists.words('trades'))}${ending}`;
    const [street = '', city = '', postCode = ''] = chance.pick(lists.rows('place'));
    const [since, until] = [chance.date(1950, 2020), chance.date(2021, 2025)];
    const isEnded = chance.is(0.4);
    const [state = ''] = pickByShare(chance, STATES);
    const [reason = ''] = pickByShare(chance, REASONS);
    const address = `${street} ${chance.between(1, 90)}`;
    const [first, second] = [chance.pick(lists.words('activity')), chance.pick(lists.words('activity'))];
    const isCounted = chance.is(0.95);
    const made: Readonly<Record<string, string>> = {
      organisationsidentitet: `${number}$${isPerson ? 'PERSON' : 'ORGNR'}-IDORG`,
      namnskyddslopnummer: '1',
      registreringsland: 'SE-LAND',
      organisationsnamn: `${name}$FORETAGSNAMN-ORGNAM$${since}`,
      organisationsform: `${isPerson || form !== 'E' ? form : 'AB'}-ORGFO`,
      avregistreringsdatum: isEnded ? until : '',
      avregistreringsorsak: isEnded ? `${reason}-AVORG` : '',
      pagandeAvvecklingsEllerOmstruktureringsforfarande: isEnded ? '' : state,
      registreringsdatum: since,
      verksamhetsbeskrivning: 'Bolaget ska bedriva näringsverksamhet.',
      postadress: `${address}$$${city}$${postCode}$SE-LAND`,
      Namn: name.toUpperCase(),
      FtgStat: isEnded ? '9' : '1',
      JEStat: isEnded ? '9' : '1',
      JurForm: unitForm,
      Gatuadress: address.toUpperCase(),
      PostNr: postCode,
      PostOrt: city,
      Ng1: first,
      Ng2: first === second ? '' : second,
      PeOrgNr: `16${number}`,
      RegDatKtid: since.replaceAll('-', ''),
    };
    if (table === 'SCB' && (isPerson || !isCounted)) continue;
    yield columns.map((column) => made[column] ?? '');
  }
}
