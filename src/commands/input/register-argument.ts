import type { Register } from '../../registers/contract.ts';
import { registers } from '../../registers/index.ts';
import { UsageError } from '../../terminal/command.ts';
import { describeUnknown } from '../../terminal/invocation.ts';
import { namesOf } from './country-argument.ts';

export function findRegister(id: string): Register {
  const register = registers.find((candidate) => candidate.id === id.toLowerCase());
  if (register !== undefined) return register;
  const meant = registers.find(({ country }) => country !== null && namesOf(country).includes(id.toLowerCase()));
  if (meant !== undefined) throw new UsageError(`Unknown register "${id}". Did you mean "${meant.id}"?`);
  const ids = registers.map((candidate) => candidate.id);
  throw new UsageError(describeUnknown('register', id, ids));
}
