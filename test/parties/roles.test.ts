import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type ImportOptions, importFiles } from '../../src/importing/import.ts';
import { registers } from '../../src/registers/index.ts';
import { no } from '../../src/registers/no/register.ts';
import { generateFile, generateParties } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { engines } from '../harness/databases.ts';
import { ORGANISATIONS } from '../harness/register-files.ts';
import { startService, type TestService } from '../harness/service.ts';

interface Role {
  readonly type: { readonly kode: string };
  readonly enhet?: { readonly organisasjonsnummer: string };
  readonly person?: { readonly navn: object; readonly fodselsdato: string };
  readonly fratraadt: boolean;
  readonly avregistrert: boolean;
}
interface Company {
  readonly organisasjonsnummer: string;
  readonly rollegrupper: readonly { readonly type: { readonly kode: string }; readonly roller: readonly Role[] }[];
}

const importNo = ({ services, clock }: TestService, paths: readonly string[], more: Partial<ImportOptions> = {}) =>
  importFiles(services.registryDb, clock, { register: no, registers, paths, ...more });

const isCurrent = ({ fratraadt, avregistrert }: Role) => !fratraadt && !avregistrert;

for (const engine of engines) {
  describe(`roles of Norway on ${engine}`, () => {
    test('1,000 generated companies: every link agrees with the file, and persons are stored as published', async () => {
      await using service = await startService(engine);
      const { registryDb, registry } = service.services;
      const companies = await writeSynthetic(service.database.dataDir, generateFile(no, 1_000, 3));
      const [file] = Object.values(generateParties(no, 1_000, 3));
      assert.ok(file !== undefined);
      const roles = await writeSynthetic(service.database.dataDir, file);
      const result = await importNo(service, [companies, roles], { parties: ORGANISATIONS });
      assert.deepEqual([result.problems, result.unknownColumns], [[], []]);
      const listed: readonly Company[] = JSON.parse(gunzipSync(readFileSync(roles)).toString());
      const entities = await registryDb.all<{ id: string; number: string }>(
        'SELECT id, registration_number AS number FROM entities',
      );
      const ids = new Map(entities.map(({ id, number }) => [number, id]));
      let links = 0;
      for (const { organisasjonsnummer, rollegrupper } of listed) {
        const expected = rollegrupper.flatMap(({ type, roller }) =>
          roller
            .filter(isCurrent)
            .flatMap((role) =>
              role.enhet ? [`${type.kode}/${role.type.kode} ${ids.get(role.enhet.organisasjonsnummer)}`] : [],
            ),
        );
        const found = await registry.parties.list(ids.get(organisasjonsnummer) ?? '', {});
        const shown = found?.parties.map(({ entityId, sourceData }) => {
          const { rollegruppe, rolle } = sourceData as { rollegruppe: { type: { kode: string } }; rolle: Role };
          return `${rollegruppe.type.kode}/${rolle.type.kode} ${entityId}`;
        });
        assert.deepEqual(shown?.sort(), expected.sort(), organisasjonsnummer);
        links += expected.length;
      }
      assert.ok(links > 200, String(links));
      const count = async (text: string) =>
        (
          await registryDb.one<{ rows: number }>('SELECT count(*) AS rows FROM parties WHERE source_data LIKE $1', [
            `%${text}%`,
          ])
        )?.rows ?? 0;
      assert.equal(await count('"person"'), 0);

      // The same files: what was left out is a reason to read them again.
      await importNo(service, [companies, roles]);
      const persons = listed.flatMap(({ rollegrupper }) =>
        rollegrupper.flatMap(({ roller }) => roller.filter((role) => role.person && isCurrent(role))),
      );
      assert.equal(await count('"person"'), persons.length);
      assert.equal(await count('withheld: '), 0);
      assert.equal(await count('"fodselsdato":"'), persons.length);
    });

    test('two people of one name in one group are two parties, and stay when the order changes', async () => {
      await using service = await startService(engine);
      const person = (fodselsdato: string) => ({ person: { fodselsdato, navn: { fornavn: 'Ole', etternavn: 'Vik' } } });
      const role = (rekkefolge: number, fodselsdato: string) => ({
        ...{ type: { kode: 'MEDL', beskrivelse: 'Styremedlem' }, ...person(fodselsdato) },
        ...{ fratraadt: false, avregistrert: false, rekkefolge },
      });
      const write = (name: string, roller: readonly object[]) => {
        const path = join(service.database.dataDir, name);
        const rollegrupper = [{ type: { kode: 'STYR', beskrivelse: 'Styre' }, sistEndret: '2026-01-01', roller }];
        writeFileSync(path, JSON.stringify([{ organisasjonsnummer: '923609016', rollegrupper }]));
        return path;
      };
      const first = await importNo(service, [write('a.json', [role(1, '1950-01-01'), role(2, '1980-01-01')])]);
      assert.deepEqual([first.parties?.added, first.parties?.duplicates], [2, 0]);
      const same = await importNo(service, [write('b.json', [role(1, '1980-01-01'), role(2, '1950-01-01')])]);
      assert.deepEqual([same.parties?.changed, same.parties?.added], [2, 0]);
      const left = await importNo(service, [write('c.json', [role(1, '1980-01-01')])], { mode: 'full' });
      assert.deepEqual([left.parties?.unchanged, left.parties?.removed], [1, 1]);
    });
  });
}
