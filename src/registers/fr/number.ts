/** SIREN (nine digits) and SIRET (fourteen): the last digit is a check digit. */

/** Every second digit from the right counts double, its digits added; the sum is a multiple of ten. */
export function isLuhn(number: string, length: number): boolean {
  if (number.length !== length || !/^\d+$/.test(number)) return false;
  let sum = 0;
  for (let index = 0; index < length; index++) {
    const digit = number.charCodeAt(length - 1 - index) - 48;
    const weighed = index % 2 === 1 ? digit * 2 : digit;
    sum += weighed > 9 ? weighed - 9 : weighed;
  }
  return sum % 10 === 0;
}
