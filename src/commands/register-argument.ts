import { findNearest } from '../core/nearest.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { UsageError } from '../terminal/command.ts';

export function findRegister(id: string): Register {
  const register = registers.find((candidate) => candidate.id === id.toLowerCase());
  if (register !== undefined) return register;
  const ids = registers.map((candidate) => candidate.id);
  const nearest = findNearest(id, ids);
  const suggestion = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  throw new UsageError(`Unknown register "${id}".${suggestion} Available registers: ${ids.join(', ')}.`);
}
