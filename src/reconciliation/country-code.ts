import { fold } from '../core/fold.ts';
import { nameCountry } from '../registry/country-names.ts';

/** What people write for the United Kingdom. */
const OTHER_NAMES = { GB: ['UK', 'Great Britain', 'England', 'Scotland', 'Wales', 'Northern Ireland'] } as const;

let codesByName: Map<string, string> | undefined;

/** The code of a country that is named by its code, its English name or its own name. Undefined if there is no such country. */
export function readCountryCode(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  codesByName ??= listNames();
  return codesByName.get(fold(code)) ?? (/^[A-Z]{2}$/.test(code) ? code : undefined);
}

function listNames(): Map<string, string> {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const names = new Map<string, string>();
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const { name, nativeName } = nameCountry(code);
    // Codes that are not assigned have no name.
    if (name !== code) for (const each of [name, nativeName]) names.set(fold(each), code);
  }
  for (const [code, others] of Object.entries(OTHER_NAMES)) for (const each of others) names.set(fold(each), code);
  return names;
}
