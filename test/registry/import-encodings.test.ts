import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { openPackage } from '../../src/formats/unpack.ts';
import { importFiles } from '../../src/import/import.ts';
import { registers } from '../../src/registers/index.ts';
import { listGenerators } from '../../synthetic/generators.ts';
import { writeSynthetic } from '../../synthetic/writers/write.ts';
import { CODES, company, csv, establishment } from '../registers/br-files.ts';
import { findRegister, useImports } from './gb-import.ts';

const ENCODED_AGAIN =
  /: the text is in utf-8( twice, read as windows-1252 in between)?, but this register publishes it in /;
const MESSAGES = new Map([
  ['ua', /: the text is in utf-8, but the file declares windows-1251: /],
  ['si', /: the text is in utf-16le without its byte order mark: /],
  // Their headers are not in Latin letters, so the file is not recognized at all.
  ['il', /is not a file of the register "il"/],
  ['tw', /is not a file of the register "tw"/],
]);

describe('files in another encoding than their register', () => {
  const store = useImports('sqlite');
  const importInto = (id: string, files: Readonly<Record<string, string | Uint8Array>>) => {
    const paths = Object.entries(files).map(([name, content]) => {
      writeFileSync(join(store.folder, name), content);
      return join(store.folder, name);
    });
    return importFiles(store.db, store.clock, { register: findRegister(id), registers, paths, dryRun: true });
  };
  const toUtf8 = (latin: Uint8Array) => Buffer.from(Buffer.from(latin).toString('latin1'));

  test('br: a table of codes in UTF-8 is refused, with both encodings', async () => {
    const Naturezas = csv(
      ['2062', 'Sociedade Empresária'],
      ['2135', 'Empresário (Individual)'],
      ['2143', 'Órgão Público'],
    );
    const files = {
      ...CODES,
      Empresas0: csv(company('10000001', { name: 'ALFA LTDA' })),
      Estabelecimentos0: csv(establishment('10000001', '0001', { 4: 'LOJA' })),
    };
    await importInto('br', { ...files, Naturezas });
    await assert.rejects(
      importInto('br', { ...files, Naturezas: toUtf8(Naturezas) }),
      /^FormatError: Naturezas: the text is in utf-8, but this register publishes it in iso-8859-1: download the file again and import it unchanged$/,
    );
  });

  test('cz: a file in ISO-8859-2 is refused, and one in windows-1250 is read', async () => {
    const header = Buffer.from('ICO,FIRMA,FORMA,DDATVZN,DDATZAN\n');
    // In ISO-8859-2 and windows-1250: Lukáš, Žižka.
    const names = { 'iso-8859-2': 'Luk\xe1\xb9,\xaei\xbeka', 'windows-1250': 'Luk\xe1\x9a,\x8ei\x9eka' };
    const write = (encoding: keyof typeof names) =>
      Buffer.concat([
        header,
        ...names[encoding]
          .split(',')
          .map((name, index) => Buffer.from(`0000001${index},${name},112,1990-01-31,\n`, 'latin1')),
      ]);
    await importInto('cz', { 'res_data.csv': write('windows-1250') });
    await assert.rejects(
      importInto('cz', { 'res_data.csv': write('iso-8859-2') }),
      /the text is in iso-8859-2, but this register publishes it in utf-8 or windows-1250/,
    );
  });

  for (const register of registers) {
    const { id, letters } = register;
    // Invented companies of France have no accents, and strings of a workbook are always in UTF-8.
    if (letters === undefined || id === 'fr' || id === 'md') continue;
    for (const [layout, generate] of listGenerators(register).entries())
      test(`${id}, layout ${layout + 1}: text that was encoded again is refused`, async () => {
        const folder = join(store.folder, `${id}-${layout}`);
        mkdirSync(folder);
        const opened = await openPackage(await writeSynthetic(folder, generate(140, 5)));
        // UA publishes windows-1251: there the declaration is wrong afterwards.
        const decoder = new TextDecoder(id === 'ua' ? 'windows-1251' : 'windows-1252');
        const files: Record<string, Uint8Array> = {};
        for (const file of opened.files)
          files[file.name] = Buffer.from(decoder.decode(Buffer.concat(await Array.fromAsync(file.open()))));
        await opened.close();
        await assert.rejects(importInto(id, files), MESSAGES.get(id) ?? ENCODED_AGAIN);
      });
  }
});

describe('JSON that cannot be imported', () => {
  const store = useImports('sqlite');
  const record = {
    LEI: { $: '529900T8BM49AURSDO55' },
    Entity: { LegalName: { $: 'A GMBH' }, LegalJurisdiction: { $: 'DE' }, EntityStatus: { $: 'ACTIVE' } },
    Registration: { RegistrationStatus: { $: 'ISSUED' } },
  };
  const importJson = (content: string | Buffer) =>
    importFiles(store.db, store.clock, {
      ...{ register: findRegister('gleif'), registers, paths: [store.write('lei2.json', content)], dryRun: true },
    });

  test('in UTF-16 is refused with its encoding', async () => {
    const text = JSON.stringify({ records: [record] });
    await importJson(text);
    for (const [content, encoding] of [
      [Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-16le'],
      [Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 'utf-16be'],
      [Buffer.from(text, 'utf16le'), 'utf-16le'],
      [Buffer.from(text, 'utf16le').swap16(), 'utf-16be'],
    ] as const)
      await assert.rejects(
        importJson(content),
        new RegExp(`lei2\\.json: the text is in ${encoding}, but this register publishes it in utf-8`),
      );
  });

  test('without a key that every record needs is refused with the key', async () => {
    const { LEI, ...others } = record;
    assert.ok(LEI);
    await assert.rejects(importJson(JSON.stringify({ records: [others] })), /lei2\.json lacks the key "LEI"/);
    await assert.rejects(
      importJson('{"records":[{"id":1}]}'),
      /not a file of the register "gleif".*: it is a JSON document/,
    );
  });
});
