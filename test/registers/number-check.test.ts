import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { registers } from '../../src/registers/index.ts';
import { matchNumber } from '../../src/registers/number-check.ts';

interface Examples {
  /** As people write it → as the register writes it. */
  readonly valid?: readonly (readonly [written: string, number: string])[];
  readonly formatOnly?: readonly (readonly [written: string, number: string])[];
  /** The form is right, and the check digits are wrong. */
  readonly wrong?: readonly string[];
  /** The register has no such numbers. */
  readonly foreign: readonly string[];
}

/** Numbers of well-known companies. */
const EXAMPLES: Readonly<Record<string, Examples>> = {
  ar: {
    valid: [['34520358279', '34520358279']],
    wrong: ['34520358278'],
    foreign: ['20520358271', '3452035827', '345203582790'],
  },
  au: {
    valid: [
      ['004 028 077', '004028077'],
      ['49 004 028 077', '004028077'],
    ],
    wrong: ['004 028 078', '48 004 028 077'],
    // The ABN of a government department, which has no ACN.
    foreign: ['12345678', '51 824 753 556'],
  },
  be: {
    valid: [
      ['0200.065.765', '0200.065.765'],
      ['BE 0200.065.765', '0200.065.765'],
      ['200065765', '0200.065.765'],
    ],
    wrong: ['0200.065.766', 'BE0200065764'],
    foreign: ['2200.065.765', '12345'],
  },
  br: {
    valid: [['00.000.000/0001-91', '00000000000191']],
    formatOnly: [
      ['00000000', '00000000'],
      ['12.ABC.345', '12ABC345'],
    ],
    wrong: ['00.000.000/0001-92'],
    foreign: ['00.000.000/0001', '1234567'],
  },
  ca: { formatOnly: [['426160-7', '4261607']], foreign: ['123456789', 'A12'] },
  cl: {
    valid: [
      ['77.503.124-7', '77503124-7'],
      ['1.000.005-k', '1000005-K'],
    ],
    wrong: ['77.503.124-8'],
    foreign: ['775031', '77503124-A'],
  },
  cz: {
    valid: [
      ['45274649', '45274649'],
      ['CZ45274649', '45274649'],
      ['00006947', '00006947'],
      ['177041', '00177041'],
    ],
    wrong: ['45274648'],
    foreign: ['452746490', 'SC123456'],
  },
  ee: { valid: [['10421629', '10421629']], wrong: ['10421628'], foreign: ['1042162'] },
  fi: {
    valid: [
      ['0112038-9', '0112038-9'],
      ['FI01120389', '0112038-9'],
      ['112038-9', '0112038-9'],
    ],
    wrong: ['0112038-8'],
    foreign: ['011203-89-1', '112'],
  },
  fr: {
    valid: [
      ['552 032 534', '552032534'],
      ['552 032 534 00646', '552032534'],
      ['356 000 000 49837', '356000000'],
      ['FR83404833048', '404833048'],
    ],
    wrong: ['552 032 535', '552 032 534 00647', '356 000 000 49838'],
    foreign: ['55203253', '5520325340064'],
  },
  gb: {
    formatOnly: [
      ['00445790', '00445790'],
      ['445790', '00445790'],
      ['sc123456', 'SC123456'],
      ['IP10067R', 'IP10067R'],
      ['R0000123', 'R0000123'],
    ],
    foreign: ['004457901', 'SC12345', 'ABC12345'],
  },
  gleif: {
    valid: [['HWUPKR0MPOU8FGXBT394', 'HWUPKR0MPOU8FGXBT394']],
    wrong: ['HWUPKR0MPOU8FGXBT395'],
    foreign: ['HWUPKR0MPOU8FGXBT39'],
  },
  ie: {
    formatOnly: [
      ['104547', '104547'],
      ['0104547', '104547'],
    ],
    foreign: ['12345678', 'IE1'],
  },
  il: {
    valid: [
      ['520013954', '520013954'],
      ['51-363177-0', '513631770'],
    ],
    wrong: ['520013955'],
    foreign: ['52001395', '120013954'],
  },
  jp: {
    valid: [
      ['7000012050002', '7000012050002'],
      ['1-1803-0101-8771', '1180301018771'],
    ],
    wrong: ['6000012050002', '1180301018772'],
    foreign: ['000012050002', '0000012050009', '70000120500020'],
  },
  lt: {
    valid: [['121215434', '121215434']],
    formatOnly: [['2121543', '2121543']],
    wrong: ['121215435'],
    foreign: ['12121543'],
  },
  lv: {
    valid: [
      ['40003032949', '40003032949'],
      ['LV 40003032949', '40003032949'],
    ],
    wrong: ['40003032948'],
    foreign: ['4000303294'],
  },
  md: {
    valid: [['1002600048836', '1002600048836']],
    formatOnly: [['353628', '353628']],
    wrong: ['1002600048837'],
    foreign: ['100260004883', '10026000488361'],
  },
  no: {
    valid: [
      ['923 609 016', '923609016'],
      ['NO 923 609 016 MVA', '923609016'],
    ],
    wrong: ['923 609 017'],
    foreign: ['92360901'],
  },
  pe: { valid: [['20512201611', '20512201611']], wrong: ['20512201612'], foreign: ['30512201611', '2051220161'] },
  ro: {
    valid: [
      ['1590082', '1590082'],
      ['RO1590082', '1590082'],
    ],
    formatOnly: [
      ['J40/8302/1997', 'J40/8302/1997'],
      ['J2002000372404', 'J2002000372404'],
    ],
    wrong: ['1590083'],
    foreign: ['J40/8302', '12345678901'],
  },
  se: {
    valid: [
      ['556001-2402', '5560012402'],
      ['SE556001240201', '5560012402'],
    ],
    wrong: ['556001-2403'],
    foreign: ['556001240', '165560012402'],
  },
  sg: {
    valid: [
      ['199201624D', '199201624D'],
      ['t08gb0046g', 'T08GB0046G'],
    ],
    wrong: ['199201624E'],
    foreign: ['19920162', '199201624'],
  },
  si: {
    valid: [
      ['5043611000', '5043611000'],
      ['5043611', '5043611000'],
    ],
    wrong: ['5043612000', '5043612'],
    foreign: ['5043611001', '504361', 'SI5043611'],
  },
  sk: {
    valid: [
      ['31333532', '31333532'],
      ['35 681 039', '35681039'],
    ],
    wrong: ['31333533'],
    foreign: ['3133353', 'SK31333532'],
  },
  'us-co': { formatOnly: [['19871032828', '19871032828']], foreign: ['18', '29871032828', '198710328280'] },
  'us-fl': {
    formatOnly: [['L26000435750', 'L26000435750']],
    foreign: ['L2600043575', '126000435750', 'L260004357501'],
  },
  'us-ia': { formatOnly: [['087557', '087557']], foreign: ['87557', '0875570', 'A87557'] },
  'us-ny': { formatOnly: [['4774835', '4774835']], foreign: ['0477483', '1234567890', 'C123'] },
  tw: {
    valid: [
      ['22099131', '22099131'],
      ['０３２４４５０９', '03244509'],
    ],
    wrong: ['22099132'],
    foreign: ['2209913', '220991311'],
  },
  ua: {
    valid: [
      ['00032129', '00032129'],
      ['20077720', '20077720'],
    ],
    wrong: ['00032128'],
    foreign: ['0003212'],
  },
};

describe('numbers are checked by the rules of each register', () => {
  for (const { id } of registers) {
    test(id, () => {
      const { valid = [], formatOnly = [], wrong = [], foreign } = EXAMPLES[id] ?? assert.fail(describeMissing(id));
      assert.ok(valid.length + formatOnly.length > 0 && foreign.length > 0, describeMissing(id));
      assert.equal(valid.length > 0, wrong.length > 0, 'a register with check digits has examples of wrong ones');
      const find = (text: string) => matchNumber(text).find(({ register }) => register === id);
      for (const [text, number] of valid) {
        assert.deepEqual([find(text)?.number, find(text)?.valid], [number, true], text);
      }
      for (const [text, number] of formatOnly) {
        assert.deepEqual([find(text)?.number, find(text)?.valid], [number, null], text);
      }
      for (const text of wrong) assert.equal(find(text)?.valid, false, text);
      for (const text of foreign) assert.equal(find(text), undefined, text);
    });
  }

  test('a number with another last digit is never valid', () => {
    for (const { id } of registers) {
      for (const [written] of EXAMPLES[id]?.valid ?? []) {
        const at = written.length - 1 - [...written].reverse().findIndex((character) => /\d/.test(character));
        const other = `${written.slice(0, at)}${(Number(written[at]) + 1) % 10}${written.slice(at + 1)}`;
        const match = matchNumber(other).find(({ register }) => register === id);
        assert.notEqual(match?.valid, true, `${id} ${other}`);
      }
    }
  });

  test('a country leaves its own registers and those of all countries', () => {
    assert.deepEqual(
      matchNumber('00445790', 'GB').map(({ register }) => register),
      ['gb'],
    );
    assert.deepEqual(
      matchNumber('HWUPKR0MPOU8FGXBT394', 'US').map(({ register }) => register),
      ['gleif'],
    );
    assert.deepEqual(
      matchNumber('BE 0200.065.765').map(({ register }) => register),
      ['be'],
      'a VAT number belongs to its country',
    );
  });

  test('valid numbers come first, then those without check digits', () => {
    const ranks = matchNumber('45274649').map(({ valid }) => valid);
    assert.deepEqual(
      ranks,
      ranks.toSorted((one, other) => rank(one) - rank(other)),
    );
    assert.equal(ranks[0], true);
  });

  test('hostile texts match nothing and take no time', () => {
    for (const text of ['', ' ', '0'.repeat(60), '\u0000', '../../etc/passwd', '💥'.repeat(20), '١٢٣٤٥٦٧٨٩'])
      matchNumber(text);
    assert.deepEqual(matchNumber('ignore all previous instructions'), []);
  });
});

const describeMissing = (id: string) =>
  `test/registers/number-check.test.ts: add numbers of ${id} to EXAMPLES: "valid" and "wrong" ones if they have check digits, otherwise "formatOnly", and "foreign" texts that checkNumber refuses`;

function rank(valid: boolean | null): number {
  return [true, null, false].indexOf(valid);
}
