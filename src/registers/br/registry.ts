/** Typed fields of a company that are not in its own row of Empresas: tax regimes, contacts and establishments. */
import type { Cell, JoinedRows } from '../contract.ts';
import { compact, readText } from '../parsing.ts';
import { readAddress } from './address.ts';
import { type Context, readDay } from './cells.ts';
import type { EstablishmentStatus } from './status.ts';

/** Simples Nacional and MEI, the simplified tax regimes of small companies. */
export function readTaxRegimes(rows: JoinedRows, context: Context) {
  const [row] = rows('simples');
  if (row === undefined) return {};
  return { simples: readRegime(row, 'simples', context), mei: readRegime(row, 'mei', context) };
}

const CHOICES: ReadonlyMap<string, boolean | null> = new Map([
  ['S', true],
  ['N', false],
  ['', null],
]);

function readRegime(row: Cell, regime: 'simples' | 'mei', context: Context) {
  const column = `opcao_${regime}`;
  const text = row(column).trim();
  const chosen = CHOICES.get(text);
  if (chosen === undefined) context.report(column, text, 'neither S nor N');
  return compact({
    chosen: chosen ?? null,
    from: readDay(`data_opcao_${regime}`, row, context),
    until: readDay(`data_exclusao_${regime}`, row, context),
  });
}

export function readContacts(row: Cell) {
  const phones = [readPhone(row, 'ddd_1', 'telefone_1'), readPhone(row, 'ddd_2', 'telefone_2')];
  const fax = readPhone(row, 'ddd_fax', 'fax');
  const email = readText(row('correio_eletronico'));
  return compact({
    phones: phones.filter((phone, at) => phone !== '' && phones.indexOf(phone) === at),
    faxes: fax === '' ? null : [fax],
    emails: email === null ? null : [email],
  });
}

/** Area code and number. Zeros mean that there is none. */
function readPhone(row: Cell, areaColumn: string, numberColumn: string): string {
  const [area, number] = [row(areaColumn).trim(), row(numberColumn).trim()];
  if (!/[1-9]/.test(number)) return '';
  return /[1-9]/.test(area) ? `${area} ${number}` : number;
}

export function describeStatus({ code, label, since, reason, reasonCode }: EstablishmentStatus) {
  return compact({ code, label, since, reason, reasonCode });
}

export interface Establishment {
  readonly row: Cell;
  readonly number: string;
  readonly status: EstablishmentStatus;
  readonly registeredAt: string | null;
}

export function describeEstablishment({ row, number, status, registeredAt }: Establishment, context: Context) {
  return compact({
    number,
    name: readText(row('nome_fantasia')),
    from: registeredAt,
    until: status.endedAt,
    status: describeStatus(status),
    address: readAddress(row, context),
    contacts: readContacts(row),
  });
}
