/** SIREN (nine digits) and SIRET (fourteen digits) end with a check digit. */

/**
 * The Luhn check: double every second digit from the right, and subtract 9 from results above 9. The sum must be a
 * multiple of 10.
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
