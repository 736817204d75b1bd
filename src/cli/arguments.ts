import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError, describeUnknown, UsageError } from '../base/terminal/command.ts';
import type { Register } from '../registers/contract.ts';
import { registers } from '../registers/index.ts';
import { nameCountry } from '../registry/country-names.ts';

/** Finds a country by its code or name. Only countries with entities are known. */
export function findCountry(text: string, codes: readonly string[]): string {
  const word = text.toLowerCase();
  const code = codes.find((candidate) => candidate.toLowerCase() === word);
  if (code !== undefined) return code;
  const named = codes.find((candidate) => namesOf(candidate).includes(word));
  if (named !== undefined) throw new UsageError(`Unknown country "${text}". Did you mean "${named}"?`);
  throw new UsageError(describeUnknown('country', text, codes));
}

/** Other names that users may type for a country, in lower case. */
function namesOf(code: string): string[] {
  const { name, nativeName } = nameCountry(code);
  return [name.toLowerCase(), nativeName.toLowerCase(), ...(code === 'GB' ? ['uk'] : [])];
}

export function findRegister(id: string): Register {
  const register = registers.find((candidate) => candidate.id === id.toLowerCase());
  if (register !== undefined) return register;
  const meant = registers.find(({ country }) => country !== null && namesOf(country).includes(id.toLowerCase()));
  if (meant !== undefined) throw new UsageError(`Unknown register "${id}". Did you mean "${meant.id}"?`);
  const ids = registers.map((candidate) => candidate.id);
  throw new UsageError(describeUnknown('register', id, ids));
}

export function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`File not found: ${path}`);
  if (!stats.isFile()) throw new CommandError(`${path} is not a regular file: name a file.`);
}

/** Throws unless a file can be created at this path: it must not exist, but its folder must. */
export function requireFreePath(path: string, suggestedName: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    throw new CommandError(`${path} is a folder: name the file, such as --out ${join(path, suggestedName)}`);
  }
  if (found !== undefined) {
    throw new CommandError(`${path} already exists. Remove it or choose another file with --out.`);
  }
  const folder = dirname(path);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new CommandError(`The folder ${folder} does not exist: create it, or choose another file with --out.`);
  }
}

export function describeWriteFailure(error: unknown): never {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  throw new CommandError(`The file could not be written: ${error.message}.`);
}
