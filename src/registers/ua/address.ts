/** `20300, Черкаська обл., місто Умань, ВУЛИЦЯ САДОВА, будинок 5, квартира 3`: parts are recognized by their words. */
import { readText } from '../parsing.ts';
import type { AddressOf } from '../vocabulary.ts';

type AddressPart = 'postCode' | 'region' | 'city' | 'district' | 'street' | 'number' | 'unit';

/** The first group is the value. Without a group, the whole text is. */
const PARTS: readonly (readonly [AddressPart, RegExp])[] = [
  ['postCode', /^\d{5}$/],
  ['region', /(?:\sобл\.?|\sобласть|^Автономна Республіка Крим)$/i],
  ['city', /^(?:м\.|місто|с\.|село|смт\.?|селище міського типу|селище)\s*(\p{L}.*)$/iu],
  ['district', /\s(?:район|р-н)$/i],
  ['number', /^(?:буд\.|будинок)\s*(\S.*)$/i],
  ['unit', /^(?:кв\.|квартира|оф\.|офіс|кімната|приміщення|корпус)\s*\S/i],
  [
    'street',
    /^(?:вул\.|вулиця|просп\.|проспект|пров\.|провулок|бульв\.|бульвар|площа|пл\.|шосе|набережна|узвіз)\s*\S/i,
  ],
];

export function readAddress(raw: string): AddressOf | null {
  const text = readText(raw);
  if (text === null) return null;
  const found: { [Name in AddressPart]?: string } = {};
  for (const piece of text.split(',')) {
    const part = piece.trim();
    for (const [name, pattern] of PARTS) {
      const match = pattern.exec(part);
      if (match === null) continue;
      const value = match[1] ?? part;
      if (name === 'unit' && found.unit !== undefined) found.unit += `, ${value}`;
      else found[name] ??= value;
      break;
    }
  }
  return { text, ...found, countryCode: 'UA' };
}
