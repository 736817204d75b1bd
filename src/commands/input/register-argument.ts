import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { nameCountry } from '../../registry/country-names.ts';
import { UsageError } from '../../terminal/command.ts';
import { describeUnknown } from '../../terminal/invocation.ts';

export function findRegister(id: string): Register {
  const register = registers.find((candidate) => candidate.id === id.toLowerCase());
  if (register !== undefined) return register;
  const country = registers.find((candidate) => namesOf(candidate).includes(id.toLowerCase()));
  if (country !== undefined) throw new UsageError(`Unknown register "${id}". Did you mean "${country.id}"?`);
  throw new UsageError(
    describeUnknown(
      'register',
      id,
      registers.map((candidate) => candidate.id),
    ),
  );
}

/** Other names that users may type for the register of a country. */
function namesOf({ country }: Register): string[] {
  if (country === null) return [];
  const { name, nativeName } = nameCountry(country);
  return [name.toLowerCase(), nativeName.toLowerCase(), ...(country === 'GB' ? ['uk'] : [])];
}
