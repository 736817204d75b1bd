/** Files about persons, which publishers offer beside the file of companies, are refused by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Register } from '../../src/registers/contract.ts';
import { cz } from '../../src/registers/cz/register.ts';
import { ee } from '../../src/registers/ee/register.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { no } from '../../src/registers/no/register.ts';
import { importTexts } from '../harness/register-files.ts';

const JOINT_OWNERS =
  'id;member_id;entity_type;name;latvian_identity_number_masked;birth_date\n' +
  '1;12;NATURAL_PERSON;Ozola Anna;010170-*****;\n';
const OWNERS = [{ ariregistri_kood: 10000001, nimi: 'Kask OÜ', kasusaajad: [{ eesnimi: 'Kadri', nimi: 'Kask' }] }];
const VREO = (prefix: string) => `<?xml version="1.0" encoding="UTF-8"?>
<${prefix}Ares_odpovedi xmlns${prefix === '' ? '' : ':are'}="http://wwwinfo.mfcr.cz/ares/xml_doc/schemas/ares/ares_answer_vreo/v_1.0.0">
<${prefix}Odpoved><${prefix}Vypis_VREO><${prefix}Uvod/><${prefix}Zakladni_udaje><${prefix}ICO>00000019</${prefix}ICO></${prefix}Zakladni_udaje></${prefix}Vypis_VREO></${prefix}Odpoved>
</${prefix}Ares_odpovedi>`;

const FILES: readonly (readonly [Register, string, string, RegExp])[] = [
  [lv, 'owners.csv', JOINT_OWNERS, /owners of joint shares.*Name it members_joint_owners\.csv/],
  [ee, 'kasusaajad.json', JSON.stringify(OWNERS), /beneficial owners, which the publisher has closed/],
  [cz, '00000019.xml', VREO('are:'), /ARES VREO.*Import res_data\.csv/],
  [cz, '00000019.xml', VREO(''), /ARES VREO.*Import res_data\.csv/],
  [
    cz,
    'ares.json',
    JSON.stringify([{ icoId: '00000019', zaznamy: [] }]),
    /answer of the ARES API.*Import res_data\.csv/,
  ],
  [
    no,
    'roller.json',
    JSON.stringify({ rollegrupper: [], _links: {} }),
    /lists the roles \(roller\) of one company.*Import all roles from/,
  ],
];

for (const [register, name, text, message] of FILES) {
  test(`${register.id}: ${name} is refused by name`, async () => {
    await assert.rejects(importTexts(register, { [name]: text }), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(error.message.startsWith(`${name}: this file `), error.message);
      return true;
    });
  });
}
