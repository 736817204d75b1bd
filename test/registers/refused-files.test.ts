import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { realSample } from '../harness/real-samples.ts';
import { importTexts } from '../harness/register-files.ts';

/** Files of the same publisher that are easily taken for the right one: the message names them and the right file. */
const CASES: readonly [id: string, file: string, text: string, message: RegExp][] = [
  [
    'lv',
    'beneficial_owners.csv',
    'sep=;\nid;legal_entity_registration_number;forename;surname;latvian_identity_number_masked;birth_date;nationality;residence;registered_on;last_modified_at\n1;40000000104;Anna;Kalna;010190-*****;"";LV;LV;2019-05-02;2019-05-02 08:41:39\n',
    /file of beneficial owners.*Import register\.csv/,
  ],
  [
    'lv',
    'officers.csv',
    'id;uri;at_legal_entity_registration_number;entity_type;position;governing_body;name\n1;;40000000104;NATURAL_PERSON;BOARD_MEMBER;EXECUTIVE_BOARD;Kalna Anna\n',
    /file of officers.*Import register\.csv/,
  ],
  [
    'lv',
    'members.csv',
    'id;at_legal_entity_registration_number;entity_type;name;number_of_shares;share_nominal_value\n1;40000000104;NATURAL_PERSON;Kalna Anna;10;1\n',
    /file of members.*Import register\.csv/,
  ],
  [
    'lv',
    'stockholders.csv',
    'id;at_legal_entity_registration_number;entity_type;name;number_of_shares;votes;stock_type\n1;40000000104;NATURAL_PERSON;Kalna Anna;10;1;ORDINARY\n',
    /file of stockholders.*Import register\.csv/,
  ],
  [
    'gb',
    'psc.txt',
    '{"company_number":"00000006","data":{"kind":"individual-person-with-significant-control","name":"Ms Ann Hill"}}\n',
    /file of persons with significant control.*Import BasicCompanyData/,
  ],
  [
    'cz',
    'vreo.xml',
    '<?xml version="1.0" encoding="UTF-8"?>\n<are:Ares_odpovedi xmlns:are="http://wwwinfo.mfcr.cz/ares/xml_doc/schemas/ares/ares_answer_vreo/v_1.0.0"><are:Odpoved><are:Vypis_VREO><are:Uvod><are:Typ_vypisu>aktualni</are:Typ_vypisu></are:Uvod><are:Zakladni_udaje><are:ICO>00000019</are:ICO></are:Zakladni_udaje></are:Vypis_VREO></are:Odpoved></are:Ares_odpovedi>',
    /extract of the public register.*Import res_data\.csv/,
  ],
  [
    'cz',
    'vr.json',
    '[{"icoId":"00000019","zaznamy":[{"ico":[{"hodnota":"00000019"}]}]}]',
    /extract of the public register.*Import res_data\.csv/,
  ],
];

for (const [id, file, text, message] of CASES) {
  test(`${id}: ${file} is refused by name`, () => assert.rejects(importText(id, file, text), message));
}

const SAMPLES: readonly [id: string, file: string, message: RegExp][] = [
  ['lv', 'beneficial_owners.csv', /file of beneficial owners/],
  ['gb', 'psc_snapshot_sample.txt', /persons with significant control/],
  ['cz', 'ares_vreo/00035491.xml', /extract of the public register/],
  ['cz', 'ares_vr_api.json', /extract of the public register/],
];

for (const [id, file, message] of SAMPLES) {
  const sample = realSample(`${id}/${file}`);
  if (sample === undefined) continue;
  test(`${id}: the official ${file} is refused by name`, () =>
    assert.rejects(importText(id, 'file', readFileSync(sample, 'utf8')), message));
}

function importText(id: string, file: string, text: string) {
  const register = registers.find((candidate) => candidate.id === id);
  assert.ok(register !== undefined);
  return importTexts(register, { [file]: text });
}
