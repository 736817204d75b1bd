/** SIREN (nine digits) and SIRET (fourteen digits) end with a check digit. */

/**
 * The Luhn check: every second digit from the right is doubled, and 9 is subtracted if that gives two digits. The sum
 * is a multiple of 10.
 */
export function isLuhn(number: string, length: number): boolean {
  if (number.length !== length || !/^\d+$/.test(number)) return false;
  let sum = 0;
  for (let index = 0; index < length; index++) {
    const digit = number.charCodeAt(length - 1 - index) - 48;
    const weighted = index % 2 === 1 ? digit * 2 : digit;
    sum += weighted > 9 ? weighted - 9 : weighted;
  }
  return sum % 10 === 0;
}
