import Type from 'typebox';
import { matchNumber, type NumberMatch } from '../../../registers/number-check.ts';
import { SearchParameters } from '../../../search/parameters.ts';
import { quote } from '../register-text.ts';
import { argument, NullableText, Text } from '../shapes.ts';
import { defineTool } from '../tool.ts';

const NullableBoolean = Type.Unsafe<boolean | null>({ type: ['boolean', 'null'] });

/** This tool reads no company data, so it is free. */
export const checkNumberTool = defineTool({
  name: 'check_registration_number',
  description:
    'Checks the form and check digits of a company, VAT or LEI number. Free. valid is null where a ' +
    'register has no check digits.',
  input: {
    number: Type.String({ minLength: 1, maxLength: 60 }),
    country: argument(SearchParameters.properties.country),
  },
  output: {
    valid: NullableBoolean,
    matches: Type.Array(
      Type.Object({ register: Text, countryCode: NullableText, kind: Text, number: Text, valid: NullableBoolean }),
    ),
  },
  isFree: true,
  run({ number, country }) {
    const matches = matchNumber(number, country?.toUpperCase());
    const valid = matches[0]?.valid ?? (matches.length === 0 ? false : null);
    return { data: { valid, matches }, text: describeMatches(number, country, matches) };
  },
});

function describeMatches(number: string, country: string | undefined, matches: readonly NumberMatch[]): string {
  const [best] = matches;
  if (best === undefined) {
    const place = country === undefined ? 'any of our registers' : `a register of ${country.toUpperCase()}`;
    return `${quote(number)} does not have the form of a number in ${place}. Check it for missing characters.`;
  }
  // If one register accepts the number, it is hardly a mistyped number of another register.
  const shown = best.valid === true ? matches.filter(({ valid }) => valid !== false) : matches;
  const lines = shown.map(
    ({ register, kind, number: written, valid }) => `- ${register}: ${kind} ${written}: ${describe(valid)}`,
  );
  return [
    `${quote(number)} as a number of these registers:`,
    ...lines,
    `To find the company: search_companies with q "${best.number}".`,
  ].join('\n');
}

function describe(valid: boolean | null): string {
  if (valid === null) return 'format only, this kind of number has no check digit';
  return valid ? 'valid' : 'invalid check digit: a digit is wrong or missing';
}
