import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TableSource } from '../../src/registers/contract.ts';
import { ee } from '../../src/registers/ee/register.ts';
import { lt } from '../../src/registers/lt/register.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { md } from '../../src/registers/md/register.ts';
import { mapRow, type Row } from '../harness/mapping.ts';

/** How to write an address into a row of the register. */
const ROWS = {
  lv: [lv, (address: string): Row => ({ name: 'Pūķis', address, index: '1010', addressid: '1', city: '0' })],
  ee: [ee, (asukoha_ehak_tekstina: string): Row => ({ nimi: 'Kask', ettevotja_staatus: 'R', asukoha_ehak_tekstina })],
  lt: [lt, (adresas: string): Row => ({ ja_pavadinimas: 'Pelėda', stat_kodas: '0', adresas })],
  md: [md, (Adresa: string): Row => ({ 'Denumirea completă': 'Plai', Adresa })],
} as const;

interface Places {
  readonly city?: string;
  readonly municipality?: string;
  readonly district?: string;
  readonly region?: string;
}

function readPlaces(id: keyof typeof ROWS, address: string): Places {
  const [register, makeRow] = ROWS[id];
  const codes = register.readCodes(new Map());
  const { registry } = mapRow(register.sources[0] as TableSource<unknown>, makeRow(address), { codes }).record;
  const { city, municipality, district, region } = registry.address ?? {};
  return JSON.parse(JSON.stringify({ city, municipality, district, region }));
}

/** The settlement is the city; the municipality or district it belongs to is `municipality`, in every register. */
const CASES: readonly [id: keyof typeof ROWS, address: string, places: Places][] = [
  ['lv', 'Rīga, Kaiju iela 7 - 2', { city: 'Rīga' }],
  ['lv', 'Saldus nov., Saldus, Vītolu iela 3', { city: 'Saldus', municipality: 'Saldus nov.' }],
  ['lv', 'Stopiņu nov., Rumbula, Smilgu iela 4-1', { city: 'Rumbula', municipality: 'Stopiņu nov.' }],
  [
    'lv',
    'Cēsu nov., Vaives pag., Rīdzene, "Vecbērzi" - 2',
    { city: 'Rīdzene', municipality: 'Cēsu nov.', district: 'Vaives pag.' },
  ],
  [
    'lv',
    'Talsu nov., Lībagu pag., "Ozoli"',
    { city: 'Lībagu pag.', municipality: 'Talsu nov.', district: 'Lībagu pag.' },
  ],
  ['lv', 'Ādažu nov., "Bebri" II', { municipality: 'Ādažu nov.' }],
  ['lv', 'Mārupes nov., Lidosta "Rīga", Dzērvju iela 1', { city: 'Lidosta "Rīga"', municipality: 'Mārupes nov.' }],
  [
    'lv',
    'Madonas rajons, Liezēres pagasts, Ozoli, Lauku iela 1',
    { city: 'Ozoli', municipality: 'Madonas rajons', district: 'Liezēres pagasts' },
  ],
  [
    'lv',
    'Jēkabpils rajons, Gārsenes pagasts, Liepu 2',
    { city: 'Gārsenes pagasts', municipality: 'Jēkabpils rajons', district: 'Gārsenes pagasts' },
  ],
  ['lv', 'Garkalnes nov., Skuķīši, 1. līnija 29', { city: 'Skuķīši', municipality: 'Garkalnes nov.' }],
  ['lv', 'Olaines nov., Olaine, Parka iela', { city: 'Olaine', municipality: 'Olaines nov.' }],
  [
    'ee',
    'Türisalu küla, Harku vald, Harju maakond',
    { city: 'Türisalu küla', municipality: 'Harku vald', region: 'Harju maakond' },
  ],
  [
    'ee',
    'Laagri alevik, Saue vald, Harju maakond',
    { city: 'Laagri alevik', municipality: 'Saue vald', region: 'Harju maakond' },
  ],
  [
    'ee',
    'Märja alevik, Tartu linn, Tartu maakond',
    { city: 'Märja alevik', municipality: 'Tartu linn', region: 'Tartu maakond' },
  ],
  [
    'ee',
    'Kuressaare linn, Saaremaa vald, Saare maakond',
    { city: 'Kuressaare linn', municipality: 'Saaremaa vald', region: 'Saare maakond' },
  ],
  ['ee', 'Tartu linn, Tartu linn, Tartu maakond', { city: 'Tartu linn', region: 'Tartu maakond' }],
  ['ee', 'Rakvere linn, Lääne-Viru maakond', { city: 'Rakvere linn', region: 'Lääne-Viru maakond' }],
  [
    'ee',
    'Pirita linnaosa, Tallinn, Harju maakond',
    { city: 'Tallinn', district: 'Pirita linnaosa', region: 'Harju maakond' },
  ],
  ['ee', 'Harku vald, Harju maakond', { municipality: 'Harku vald', region: 'Harju maakond' }],
  ['lt', 'Vilnius, Pelėdų g. 9-2, LT-01101', { city: 'Vilnius' }],
  ['lt', 'Vilnius, Pelėdų g. 9-2', { city: 'Vilnius' }],
  ['lt', 'Jonavos r. sav., Rukla, Stirnų g. 7-37, LT-55289', { city: 'Rukla', municipality: 'Jonavos r. sav.' }],
  ['lt', 'Jonavos r. sav., Rukla', { city: 'Rukla', municipality: 'Jonavos r. sav.' }],
  [
    'lt',
    'Kauno r. sav., Akademijos mstl., Voverių g. 1, LT-53361',
    { city: 'Akademijos mstl.', municipality: 'Kauno r. sav.' },
  ],
  [
    'lt',
    'Raseinių r. sav., Kalnujų sen., Kalnujų k. 1',
    { city: 'Kalnujų k.', municipality: 'Raseinių r. sav.', district: 'Kalnujų sen.' },
  ],
  ['lt', 'Utenos r. sav. Utenos m., Liepų g. 3, LT-28001', { city: 'Utenos m.', municipality: 'Utenos r. sav.' }],
  ['lt', 'Neringa, Nida, Lotmiškio g. 2, LT-93121', { city: 'Nida', municipality: 'Neringa' }],
  [
    'lt',
    'Alytaus apskr., Alytaus m. sav., Alytaus m., Putinų g. 1',
    { city: 'Alytaus m.', municipality: 'Alytaus m. sav.', region: 'Alytaus apskr.' },
  ],
  ['lt', 'Pelėdų g. 9', {}],
  ['md', 'Ialoveni, Bardar, str. <, 11', { city: 'Bardar', municipality: 'Ialoveni' }],
  ['md', 'Rezina, str. Viilor, 37', { city: 'Rezina' }],
  ['md', 'MD-2001, mun. Chişinău, sec. Centru, str. Viilor, 5', { city: 'Chişinău', district: 'Centru' }],
  ['md', 'mun. Chişinău, Codru, str. Viilor, 16', { city: 'Codru', municipality: 'Chişinău' }],
  [
    'md',
    'mun. Chişinău, com. Bubuieci, s. Bîc, str. Viilor, 1',
    { city: 'Bîc', municipality: 'Chişinău', district: 'Bubuieci' },
  ],
  ['md', 'r-nul Orhei, s. Ivancea', { city: 'Ivancea', municipality: 'Orhei' }],
  ['md', 'UTA Găgăuzia, mun. Comrat, str. Viilor, 2', { city: 'Comrat', region: 'UTA Găgăuzia' }],
  ['md', 'Chişinău, Viilor, 5', { city: 'Chişinău' }],
  ['md', 'str. <, 11', {}],
];

for (const [id, address, places] of CASES) {
  test(`${id}: ${address}`, () => assert.deepEqual(readPlaces(id, address), places));
}
