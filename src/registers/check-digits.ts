/** Check digits of registration numbers. Every register gives its weights and its rule for the sum as data. */

/** Whether the check digits of a number are right. False for a number in another form. */
export type CheckNumber = (number: string) => boolean;

/** The last digit follows from the weighted sum of the other digits. Numbers for which `findDigit` returns more than 9 are never issued. */
export function checkLastDigit(weights: readonly number[], findDigit: (sum: number) => number): CheckNumber {
  return (number) => {
    const sum = weighDigits(number.slice(0, -1), weights);
    return sum !== null && String(findDigit(sum)) === number.slice(weights.length);
  };
}

/** The weighted sum of all digits, divided by `modulus`, leaves `remainder`. */
export function checkSum(weights: readonly number[], modulus: number, remainder: number): CheckNumber {
  return (number) => {
    const sum = weighDigits(number, weights);
    return sum !== null && (sum - remainder) % modulus === 0;
  };
}

/** The last digit is the weighted sum modulo 11. If the result is 10, the second weights are used; if the result is 10 again, the digit is 0. */
export function checkModulo11(first: readonly number[], second: readonly number[]): CheckNumber {
  return (number) => {
    const digits = number.slice(0, -1);
    const sum = weighDigits(digits, first);
    if (sum === null) return false;
    const digit = sum % 11 < 10 ? sum % 11 : ((weighDigits(digits, second) ?? 0) % 11) % 10;
    return String(digit) === number.slice(first.length);
  };
}

/** Multiplies each digit by its weight, and sums up the digits of all products. Null for a number in another form. */
export function sumProductDigits(number: string, weights: readonly number[]): number | null {
  if (number.length !== weights.length || !/^\d+$/.test(number)) return null;
  const products = weights.map((weight, index) => weight * digitAt(number, index));
  return products.reduce((sum, product) => sum + Math.floor(product / 10) + (product % 10), 0);
}

/** Luhn: every second digit from the right is doubled, less 9 if above 9. The sum is a multiple of 10. */
export function checkLuhn(length: number): CheckNumber {
  return (number) => {
    if (number.length !== length || !/^\d+$/.test(number)) return false;
    let sum = 0;
    for (let index = 0; index < length; index++) {
      const digit = digitAt(number, length - 1 - index);
      const weighted = index % 2 === 1 ? digit * 2 : digit;
      sum += weighted > 9 ? weighted - 9 : weighted;
    }
    return sum % 10 === 0;
  };
}

/** The weighted sum of the digits. Null unless the text has exactly one digit per weight. */
function weighDigits(digits: string, weights: readonly number[]): number | null {
  if (digits.length !== weights.length || !/^\d+$/.test(digits)) return null;
  return weights.reduce((sum, weight, index) => sum + weight * digitAt(digits, index), 0);
}

function digitAt(text: string, index: number): number {
  return text.charCodeAt(index) - 48;
}
