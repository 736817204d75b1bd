/** Files about persons, which publishers offer beside the file of companies, are refused by name. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Register } from '../../src/registers/contract.ts';
import { cz } from '../../src/registers/cz/register.ts';
import { lv } from '../../src/registers/lv/register.ts';
import { no } from '../../src/registers/no/register.ts';
import { importTexts } from '../harness/register-files.ts';

const OWNERS =
  'id;legal_entity_registration_number;forename;surname;latvian_identity_number_masked;birth_date;nationality;residence;registered_on;last_modified_at\n' +
  '1;40000000001;ANNA;OZOLA;010170-*****;;LV;LV;2019-01-02;2019-01-02\n';
const OFFICERS =
  'id;uri;at_legal_entity_registration_number;entity_type;position;governing_body;name;latvian_identity_number_masked;birth_date;legal_entity_registration_number;rights_of_representation_type;representation_with_at_least;registered_on;last_modified_at\n' +
  '1;;40000000001;NATURAL_PERSON;BOARD_MEMBER;EXECUTIVE_BOARD;Ozola Anna;010170-*****;;;INDIVIDUALLY;;2019-01-02;2019-01-02\n';
const MEMBERS =
  'id;at_legal_entity_registration_number;entity_type;name;number_of_shares;share_nominal_value;share_currency\n' +
  '1;40000000001;NATURAL_PERSON;Ozola Anna;100;28;EUR\n';
const VREO = (prefix: string) => `<?xml version="1.0" encoding="UTF-8"?>
<${prefix}Ares_odpovedi xmlns${prefix === '' ? '' : ':are'}="http://wwwinfo.mfcr.cz/ares/xml_doc/schemas/ares/ares_answer_vreo/v_1.0.0">
<${prefix}Odpoved><${prefix}Vypis_VREO><${prefix}Uvod/><${prefix}Zakladni_udaje><${prefix}ICO>00000019</${prefix}ICO></${prefix}Zakladni_udaje></${prefix}Vypis_VREO></${prefix}Odpoved>
</${prefix}Ares_odpovedi>`;
const ROLES = [{ organisasjonsnummer: '810000007', rollegrupper: [{ type: { kode: 'DAGL' }, roller: [] }] }];

const FILES: readonly (readonly [Register, string, string, RegExp])[] = [
  [lv, 'beneficial_owners.csv', OWNERS, /lists beneficial owners, not companies\. Import register\.csv/],
  [lv, 'beneficial_owners-2021.csv', `sep=;\n${OWNERS}`, /lists beneficial owners/],
  [lv, 'officers.csv', OFFICERS, /lists officers, not companies\. Import register\.csv/],
  [lv, 'members.csv', MEMBERS, /lists members or stockholders, not companies\. Import register\.csv/],
  [cz, '00000019.xml', VREO('are:'), /ARES VREO.*Import res_data\.csv/],
  [cz, '00000019.xml', VREO(''), /ARES VREO.*Import res_data\.csv/],
  [
    cz,
    'ares.json',
    JSON.stringify([{ icoId: '00000019', zaznamy: [] }]),
    /answer of the ARES API.*Import res_data\.csv/,
  ],
  [no, 'roller_totalbestand.json', JSON.stringify(ROLES), /lists roles \(roller\).*Import enheter_alle\.json\.gz/],
  [no, 'roller.json', JSON.stringify({ rollegrupper: [], _links: {} }), /lists roles \(roller\)/],
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
