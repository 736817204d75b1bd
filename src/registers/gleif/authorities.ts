/**
 * GLEIF's codes of the authorities that use the numbers of a national register, in its `authorities.tsv`. They link an LEI record to the
 * national record of the same company.
 */
import { readAllLines } from '../data-files.ts';

const REGISTERS = new Map(readAllLines('authorities.tsv').map(([register = '', code = '']) => [code, register]));

/** The id of the national register whose numbers the authority uses, or null if there is none. */
export function findRegister(authority: string): string | null {
  return REGISTERS.get(authority) ?? null;
}

/** Whether LEI records link to companies of the register. */
export function isLinked(register: string): boolean {
  return [...REGISTERS.values()].includes(register);
}
