import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyRegistry, readActivities } from '../../src/registers/classifications/activities.ts';
import {
  type ClassifiableActivity,
  classifyActivity,
  findIsic,
  findMainIsic,
  isicCodes,
  listRules,
  titleOf,
  withParents,
} from '../../src/registers/classifications/isic.ts';

const of = (scheme: string, edition: string | undefined, code: string): ClassifiableActivity => ({
  type: 'unlicensed',
  scheme,
  code,
  ...(edition !== undefined && { edition }),
});

test('activities have the ISIC code of the official tables, as deep as it is certain', () => {
  const cases: [ClassifiableActivity, string | undefined][] = [
    [of('UK SIC', '2007', '62012'), '6201'],
    [of('UK SIC', '2007', '45112'), '4510'],
    [of('NACE', 'Rev. 2', '0111'), '0111'],
    [of('NAF', 'Rev2', '47.11F'), '4711'],
    [of('NAF', '2025', '62.10Y'), '6201'],
    [of('NACE-BEL', '2008', '4711001'), '4711'],
    [of('CZ-NACE', '2008', '620'), '620'],
    [of('CZ-NACE', '2008', '62'), '62'],
    [of('CZ-NACE', '2008', 'G'), 'G'],
    [of('CZ-NACE', '2008', 'V'), undefined],
    // Sections of the newer edition have other letters from J on, and trade no longer has the repair of vehicles.
    [of('CZ-NACE', '2025', 'L'), 'K'],
    [of('CZ-NACE', '2025', 'G'), undefined],
    // Development of building projects was construction.
    [of('CZ-NACE', '2025', '68'), undefined],
    [of('CAEN', '2', '0111'), '0111'],
    [of('EMTAK', '2025', '01131'), '01'],
    [of('TOL', '2025', '01480'), 'A'],
    [of('TOL', '2025', '05100'), undefined],
    [of('CAEM', '2', '01.11'), '0111'],
    [of('CNAE', undefined, '6201501'), '62'],
    [of('SSIC', undefined, '62011'), '62'],
    // Both editions agree, one of them has the code, and they differ.
    [of('SN', undefined, '01.110'), '0111'],
    [of('SN', undefined, '47.111'), '47'],
    [of('SN', undefined, '45.111'), '4510'],
    [of('SN', undefined, '62.010'), '6201'],
    [of('UK SIC', '2003', '7222'), undefined],
    [of('NAF', undefined, '47.11F'), undefined],
    [of('TOL', '2002', '72220'), undefined],
    [of('KVED', '2010', '62.01'), '6201'],
    [of('KVED', '2005', '72.22.0'), undefined],
    [of('KVED', undefined, '62'), undefined],
    [{ ...of('CAEM', '2', '01.11'), type: 'licensed' }, undefined],
    [of('NACE', 'Rev. 2', '6'), undefined],
    [of('NACE', 'Rev. 2', 'A'), 'A'],
    [of('NACE', 'Rev. 2', 'AA'), undefined],
    [of('NACE', 'Rev. 2', 'a'), undefined],
    [of('SSIC', undefined, 'A'), undefined],
  ];
  for (const [activity, expected] of cases) assert.equal(findIsic(activity), expected, JSON.stringify(activity));
});

test('an activity shows its codes with their parents, or why it has none', () => {
  assert.deepEqual(classifyActivity(of('UK SIC', '2007', '62012')), {
    isic: {
      section: 'J',
      division: '62',
      group: '620',
      class: '6201',
      label: 'Computer programming activities',
      level: 'class',
      edition: '4',
    },
    nace: {
      section: 'J',
      division: '62',
      group: '62.0',
      class: '62.01',
      label: 'Computer programming activities',
      level: 'class',
      edition: '2',
    },
  });
  const section = classifyActivity(of('TOL', '2025', '01480'));
  assert.deepEqual(section.isic, {
    section: 'A',
    label: 'Agriculture, forestry and fishing',
    level: 'section',
    edition: '4',
  });
  assert.equal(section.nace?.class, '01.48');
  assert.deepEqual(classifyActivity(of('CZ-NACE', '2008', 'G')).nace, {
    section: 'G',
    label: 'WHOLESALE AND RETAIL TRADE; REPAIR OF MOTOR VEHICLES AND MOTORCYCLES',
    level: 'section',
    edition: '2',
  });
  for (const [activity, note] of [
    [of('UK SIC', '2007', '99999'), /dormant/],
    [of('UK SIC', '2007', '74990'), /do not trade/],
    [of('UK SIC', '2007', '98000'), /residents property/],
    [of('UK SIC', '2003', '7222'), /edition 2003 of UK SIC/],
    [of('NAF', undefined, '47.11F'), /which edition/],
    [of('TOL', '2025', '05100'), /several sections/],
    [of('SN', undefined, '00.000'), /not in the tables of SN/],
    [of('CZ-NACE', '2025', 'G'), /several sections/],
    [of('CZ-NACE', '2008', 'Z'), /not in the tables of CZ-NACE/],
    [of('KVED', '2005', '72.22.0'), /edition 2005 of KVED/],
    [of('KVED', undefined, '62'), /which edition of KVED/],
    [of('NAP', undefined, '7701'), /NAP/],
    [{ type: 'unlicensed', scheme: 'SN' }, /no code/],
    [{ type: 'licensed', scheme: 'RSUD', code: '1' }, /licensed/],
  ] as const) {
    const { isic, isicNote = '' } = classifyActivity(activity);
    assert.equal(isic, undefined, JSON.stringify(activity));
    assert.match(isicNote, note);
  }
});

test('the tables are complete, and every code has a title and parents', () => {
  assert.equal(isicCodes.length, 766);
  for (const code of isicCodes) {
    assert.notEqual(titleOf(code), '', code);
    for (const parent of withParents(code)) assert.ok(isicCodes.includes(parent), `${code} in ${parent}`);
  }
  assert.deepEqual(withParents('6201'), ['J', '62', '620', '6201']);
});

test('the rules as data say the same as the function', () => {
  const { families, codes, own } = listRules();
  assert.equal(codes.get('2|6201'), 'J6201');
  assert.equal(codes.get('division|62'), 'J62');
  assert.equal(codes.get('2.1|88'), undefined);
  assert.ok(own.includes('UK SIC|99999'));
  for (const [published, family] of families) {
    const [scheme = '', edition = ''] = published.split('|');
    for (const [key, code] of codes) {
      if (!key.startsWith(`${family}|`)) continue;
      const isic = findIsic(of(scheme, edition === '' ? undefined : edition, key.slice(family.length + 1))) as string;
      assert.equal(code, isic.length === 1 ? isic : `${withParents(isic)[0]}${isic}`, `${published} ${key}`);
    }
  }
});

test('the code of a company is that of its main activity, in the edition that is most exact', () => {
  const main = { main: true };
  const newer = { ...of('NAF', '2025', '01.13Y'), ...main };
  const older = { ...of('NAF', 'Rev2', '01.13Z'), ...main };
  assert.equal(findMainIsic([newer, older]), '0113');
  assert.equal(findMainIsic([newer]), '01');
  assert.equal(findMainIsic([of('UK SIC', '2007', '62012'), of('UK SIC', '2007', '01110')]), '6201');
  assert.equal(findMainIsic([of('UK SIC', '2007', '99999'), of('UK SIC', '2007', '01110')]), null);
  assert.equal(
    findMainIsic([
      { ...of('SSIC', undefined, '62011'), main: false },
      { ...of('SSIC', undefined, '01111'), ...main },
    ]),
    '01',
  );
  assert.equal(findMainIsic([]), null);
});

test('only the activities of a company itself are classified, wherever they are in its registry', () => {
  const activities = [
    { code: '62012', label: '}],"activities":[{"', scheme: 'UK SIC', edition: '2007', type: 'unlicensed' },
  ];
  for (const before of [{}, { legalForm: { label: 'a "}{[' } }]) {
    const registry = { ...before, activities, seat: { activities } };
    const { text } = classifyRegistry(JSON.stringify(registry));
    const classified = activities.map((activity) => ({ ...activity, ...classifyActivity(activity as never) }));
    assert.equal(text, JSON.stringify({ ...registry, activities: classified }));
    assert.deepEqual(readActivities(JSON.stringify(registry).slice(0, -20)), activities);
  }
  const nested = JSON.stringify({ legalForm: { label: 'a' }, seat: { activities } });
  assert.equal(classifyRegistry(nested).text, nested);
  assert.deepEqual(readActivities('{"activities":[{"code":"62'), []);
});
