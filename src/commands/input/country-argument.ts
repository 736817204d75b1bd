import { nameCountry } from '../../registry/country-names.ts';
import { UsageError } from '../../terminal/command.ts';
import { describeUnknown } from '../../terminal/invocation.ts';

/** Finds a country by its code or name among those with entities. */
export function findCountry(text: string, codes: readonly string[]): string {
  const word = text.toLowerCase();
  const code = codes.find((candidate) => candidate.toLowerCase() === word);
  if (code !== undefined) return code;
  const named = codes.find((candidate) => namesOf(candidate).includes(word));
  if (named !== undefined) throw new UsageError(`Unknown country "${text}". Did you mean "${named}"?`);
  throw new UsageError(describeUnknown('country', text, codes));
}

/** Other names that users may type for a country, in lower case. */
export function namesOf(code: string): string[] {
  const { name, nativeName } = nameCountry(code);
  return [name.toLowerCase(), nativeName.toLowerCase(), ...(code === 'GB' ? ['uk'] : [])];
}
