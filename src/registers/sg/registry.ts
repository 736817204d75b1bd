/** The fields of `registry` that take more than reading one column. */
import type { Cell, MapContext } from '../contract.ts';
import { compact, joinFilled, readAmount, readText, readTexts } from '../parsing.ts';
import { linkByNumber, type RecordParty, readRecordParty } from '../record-party.ts';
import type { AddressOf, PartyOf } from '../vocabulary.ts';
import { AUDITORS, CAPITALS } from './columns.ts';

interface AddressColumns {
  readonly type?: string | null;
  readonly block?: string | null;
  readonly street: string | null;
  readonly level?: string | null;
  readonly unit?: string | null;
  readonly building?: string | null;
  readonly postCode: string | null;
  readonly lines?: readonly string[];
}

export function readAddress(cell: Cell): AddressOf | null {
  return composeLocal({
    type: readText(cell('address_type')),
    block: readText(cell('block')),
    street: readText(cell('street_name')),
    level: readText(cell('level_no')),
    unit: readText(cell('unit_no')),
    building: readText(cell('building_name')),
    postCode: readText(cell('postal_code')),
    lines: readTexts(['other_address_line1', 'other_address_line2'], cell),
  });
}

/** `144 ROBINSON ROAD #14-01, ROBINSON SQUARE, Singapore 068908`: the order of Singapore, in which the unit comes early. */
export function composeLocal(columns: AddressColumns): AddressOf | null {
  const { type, block, street, level, unit, building, lines = [] } = columns;
  const postCode = readPostCode(columns.postCode);
  const flat = writeUnit(level, unit);
  const isLocal = type?.toUpperCase() === 'LOCAL' || (!type && /^\d{6}$/.test(postCode ?? ''));
  const city = isLocal ? 'Singapore' : null;
  const road = joinFilled([block, street, flat], ' ');
  const parts = [road, building, ...lines];
  if (joinFilled([...parts, postCode], '') === '') return null;
  return {
    text: joinFilled([...parts, joinFilled([city, postCode], ' ')], ', '),
    ...compact({ lines: [...lines], building, street, number: block, unit: flat, postCode, city }),
    ...(isLocal && { countryCode: 'SG' }),
    ...compact({ level, unitNumber: unit }),
  };
}

/** `#14-01`: level and unit as written on every letter in Singapore. */
function writeUnit(level: string | null | undefined, unit: string | null | undefined): string | null {
  if (level && unit) return `#${level}-${unit}`;
  if (level) return `Level ${level}`;
  return unit ? `Unit ${unit}` : null;
}

/** The files lose the leading zero of a six-digit code. Codes of four digits are those in use until 1995. */
function readPostCode(text: string | null): string | null {
  return text !== null && /^\d{5}$/.test(text) ? `0${text}` : text;
}

export function listAuditors(cell: Cell): PartyOf[] {
  const parties: PartyOf[] = [];
  for (const ending of AUDITORS) {
    const [number, name] = [readText(cell(`uen${ending}`)), readText(cell(`name${ending}`))];
    const shown = name ?? number;
    if (shown !== null)
      parties.push({ role: 'auditor', kind: 'organisation', name: shown, ...(number !== null && { number }) });
  }
  return parties;
}

/** Firms are identified by their UEN, as companies are. */
export function readListed(party: PartyOf): RecordParty {
  return readRecordParty(party, linkByNumber(party, 'sg', /./));
}

/** Paid-up capital, one entry per currency. Only the older edition has it. The amount is the sum of all kinds of shares. */
export function listCapitals(cell: Cell, context: MapContext<null>) {
  return CAPITALS.map((prefix) => {
    const currency = readText(cell(`${prefix}_currency`));
    const readShares = (kind: string) => {
      const text = readText(cell(`${prefix}_${kind}`));
      const amount = text === null ? null : readAmount(text);
      if (text !== null && amount === null) context.report(`${prefix}_${kind}`, text, 'not an amount');
      return amount;
    };
    const [ordinary, preference, others] = [readShares('ordinary'), readShares('preference'), readShares('others')];
    const amounts = [ordinary, preference, others].filter((amount) => amount !== null);
    const amount = amounts.length === 0 ? null : amounts.reduce((sum, part) => sum + part, 0);
    const isCode = /^[A-Z]{3}$/.test(currency ?? '');
    return compact({ amount, ...(isCode ? { currency } : { currencyName: currency }), ordinary, preference, others });
  }).filter((capital) => Object.keys(capital).length > 0);
}
