import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';

/**
 * Keeps other users of the machine away from the data: the stores contain hashes of keys, e-mail addresses and who paid what.
 * Modes that an earlier release or a copy has left open are repaired if the file is ours. A mode that cannot be changed, for
 * example on a file system without modes, never prevents the service from starting.
 */
const OTHERS = 0o077;
const STICKY = 0o1000;

/** Creates the folder. An existing one becomes private if it is empty or has a store in it: `/tmp` must stay as it is. */
export function preparePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    const isShared = (statSync(folder).mode & STICKY) !== 0;
    const names = isShared ? [] : readdirSync(folder);
    const isOurs = !isShared && (names.length === 0 || names.some((name) => /^(accounts|registry)\.db$/.test(name)));
    if (isOurs) closeToOthers(folder, 0o700);
  } catch {
    // A folder that this user cannot list belongs to someone else.
  }
}

/** Creates the file if it is missing. SQLite gives its `-wal` and `-shm` files the mode of the database. */
export function preparePrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch {
    // The file exists already, or it cannot be created, which SQLite reports when it opens the file.
  }
  for (const each of [file, `${file}-wal`, `${file}-shm`]) closeToOthers(each, 0o600);
}

function closeToOthers(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || (found.mode & OTHERS) === 0 || found.uid !== process.getuid?.()) return;
  try {
    chmodSync(path, mode);
  } catch {
    // Some file systems do not allow even the owner to change the mode.
  }
}
