import { statSync } from 'node:fs';
import { CommandError } from '../../terminal/command.ts';

export function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new CommandError(`File not found: ${path}`);
  if (!stats.isFile()) throw new CommandError(`${path} is not a regular file: name a file.`);
}
