import { chmodSync, chownSync, copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { createPostgresServer, type PostgresServer } from './postgres-server.ts';

/**
 * Physical copies of a running PostgreSQL, by its low-level backup interface: start, copy the files, stop, then the log that
 * was written meanwhile. It is what `pg_basebackup` does, which the embedded binaries lack.
 */
async function backUp(server: PostgresServer, target: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('test', true)");
    copyFolder(server.data, target, LEFT_OUT);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
    writeLike(server.data, join(target, 'backup_label'), rows[0].labelfile);
    copyFolder(join(server.data, 'pg_wal'), join(target, 'pg_wal'));
  } finally {
    await client.end();
  }
}

const LEFT_OUT = ['pg_wal', 'postmaster.pid', 'postmaster.opts', 'pg_stat_tmp', 'pg_replslot'];

/** A new server with the data of another: what a restore of a base backup gives. */
export function createCopyOf(server: PostgresServer): Promise<PostgresServer> {
  return createPostgresServer({ fill: (data) => backUp(server, data) });
}

/** A streaming replica, up to date with the primary as fast as the log reaches it. */
export function createReplicaOf(primary: PostgresServer): Promise<PostgresServer> {
  const { hostname, port } = new URL(primary.url);
  return createPostgresServer({
    async fill(data) {
      await backUp(primary, data);
      writeLike(primary.data, join(data, 'standby.signal'), '');
    },
    settings: {
      primary_conninfo: `host=${hostname} port=${port} user=postgres`,
      // After a moment alone it comes back at once.
      wal_retrieve_retry_interval: '100ms',
    },
  });
}

/** With owner and rights. Files of a running server may vanish meanwhile: the log brings what they held. */
function copyFolder(from: string, to: string, leftOut: readonly string[] = []): void {
  mkdirSync(to, { recursive: true });
  likeIn(from, to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (leftOut.includes(entry.name)) {
      if (entry.isDirectory()) likeIn(source, mkdirSync(target, { recursive: true }) ?? target);
    } else if (entry.isDirectory()) copyFolder(source, target);
    else {
      try {
        copyFileSync(source, target);
        likeIn(source, target);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
      }
    }
  }
}

function writeLike(model: string, file: string, text: string): void {
  writeFileSync(file, text);
  const { uid, gid } = statSync(model);
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
}

function likeIn(model: string, path: string): void {
  const { uid, gid, mode } = statSync(model);
  chmodSync(path, mode & 0o7777);
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}
