import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hashFile } from '../../src/formats/unpack.ts';
import { type ImportOptions, importFiles } from '../../src/import/import.ts';
import { type Proof, type ProveOptions, proveRecord } from '../../src/import/proof/proof.ts';
import type { Register } from '../../src/registers/contract.ts';
import { registers } from '../../src/registers/index.ts';
import type { Engine } from '../harness/databases.ts';
import { useImports } from '../registry/gb-import.ts';

const SNAPSHOT = '20260901T000000Z';

/** A registry store, files that are kept as a fetch keeps them, and proofs of its records. */
export function useProofs(engine: Engine) {
  const store = useImports(engine);
  const folder = () => join(store.folder, 'sources');

  return {
    store,
    /** Keeps copies of the files as the newest snapshot of the register. Returns their paths. */
    async keep(register: Register, paths: readonly string[]): Promise<string[]> {
      const snapshot = join(folder(), register.id, SNAPSHOT);
      mkdirSync(snapshot, { recursive: true });
      const files = [];
      const kept: string[] = [];
      for (const path of paths) {
        const name = basename(path);
        copyFileSync(path, join(snapshot, name));
        kept.push(join(snapshot, name));
        const { length: size } = readFileSync(path);
        files.push({
          url: `https://example.com/${name}`,
          name,
          hash: await hashFile(path),
          size,
          etag: null,
          lastModified: null,
        });
      }
      const state = {
        checkedAt: null,
        snapshots: [{ folder: SNAPSHOT, fetchedAt: '2026-09-01T00:00:00.000Z', files }],
        pending: null,
      };
      writeFileSync(join(folder(), register.id, 'state.json'), JSON.stringify(state));
      return kept;
    },
    import: (register: Register, paths: readonly string[], options: Partial<ImportOptions> = {}) =>
      importFiles(store.db, store.clock, { register, registers, paths, mode: 'full', ...options }),
    async prove(id: string, options: Partial<ProveOptions> = {}): Promise<Proof> {
      const proof = await proveRecord(id, {
        db: store.db,
        registers,
        folder: folder(),
        samples: join(folder(), '../samples'),
        given: [],
        onProgress: () => undefined,
        signal: new AbortController().signal,
        ...options,
      });
      return proof ?? assert.fail(`there is no record ${id}`);
    },
    async listIds(register: Register): Promise<string[]> {
      const rows = await store.db.all<{ id: string }>(
        'SELECT id FROM entities WHERE register = $1 ORDER BY length(coalesce(origins, source_data)) DESC, id',
        [register.id],
      );
      return rows.map(({ id }) => id);
    },
  };
}

/** Fails with what differs. */
export function assertProven(proof: Proof): void {
  const { outcome, message, files, cells, fields, fieldsProblem } = proof;
  assert.equal(outcome, 'proven', JSON.stringify({ message, files, cells, fields, fieldsProblem }, null, 2));
  assert.ok(cells !== null && cells.agree > 0 && cells.differ === 0);
  assert.ok(fields !== null && fields.agree > 5 && fields.differ === 0);
}
