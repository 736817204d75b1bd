import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createPostgresServer, type PostgresServer } from '../harness/postgres-server.ts';

/**
 * Copies a running PostgreSQL with its low-level backup functions: start the backup, copy the files, stop the backup,
 * copy the write-ahead log. `pg_basebackup` does the same, but the embedded binaries do not include it.
 */
async function backUp(server: PostgresServer, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('test', true)");
    copyFolder(server.data, target, EXCLUDED);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeOwnedLike(server.data, join(target, 'backup_label'), rows[0].labelfile);
    copyFolder(join(server.data, 'pg_wal'), join(target, 'pg_wal'));
  } finally {
    await client.end();
  }
}

const EXCLUDED = ['pg_wal', 'postmaster.pid', 'postmaster.opts', 'pg_stat_tmp', 'pg_replslot'];

/** Starts a streaming replica of the primary. */
export function createReplicaOf(primary: PostgresServer): Promise<PostgresServer> {
  const { hostname, port } = new URL(primary.url);
  return createPostgresServer({
    async fill(data) {
      await backUp(primary, data);
      writeOwnedLike(primary.data, join(data, 'standby.signal'), '');
    },
    settings: {
      primary_conninfo: `host=${hostname} port=${port} user=postgres`,
      // Reconnect quickly after a break; the default is five seconds.
      wal_retrieve_retry_interval: '100ms',
    },
  });
}

/**
 * Copies owners and modes too. Files of a running server may disappear during the copy; the write-ahead log restores
 * what they contained.
 */
function copyFolder(from: string, to: string, excluded: readonly string[] = []): void {
  mkdirSync(to, { recursive: true });
  copyOwnership(from, to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (excluded.includes(entry.name)) {
      if (entry.isDirectory()) copyOwnership(source, mkdirSync(target, { recursive: true }) ?? target);
    } else if (entry.isDirectory()) copyFolder(source, target);
    else {
      try {
        copyFileSync(source, target);
        copyOwnership(source, target);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
      }
    }
  }
}

function writeOwnedLike(model: string, file: string, text: string): void {
  writeFileSync(file, text);
  const { uid, gid } = statSync(model);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

function copyOwnership(model: string, path: string): void {
  const { uid, gid, mode } = statSync(model);
  chmodSync(path, mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}
