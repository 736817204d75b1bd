import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { writeCsvHeader, writeCsvRow } from '../../src/base/csv.ts';
import { chooseLength, writeListed } from '../../src/base/db/lists.ts';
import { fold } from '../../src/base/fold.ts';
import { romanise } from '../../src/base/romanise.ts';
import { activityKeys, numberKeys } from '../../src/base/search-keys.ts';
import { anyCharacter } from '../harness/any-character.ts';

/**
 * Literal expectations: the search tests compare with an oracle that uses `fold` itself, so they cannot notice a wrong
 * letter.
 */
describe('folding text for comparison', () => {
  const letters =
    'ø:o Ø:o ǿ:o đ:d Đ:d ð:d Ð:d ł:l Ł:l ß:ss ẞ:ss æ:ae Æ:ae ǽ:ae œ:oe Œ:oe þ:th Þ:th ı:i I:i İ:i ħ:h Ħ:h ŧ:t Ŧ:t ŋ:n Ŋ:n ĸ:k ſ:s ς:σ Σ:σ';
  for (const [letter = '', folded] of letters.split(' ').map((pair) => pair.split(':'))) {
    test(`${letter} becomes ${folded}`, () => assert.equal(fold(letter), folded));
  }

  test('accents are removed and compatibility characters decomposed', () => {
    assert.equal(fold('Café cafe\u0301 ÅSE ŠIĻĶE Łódź'), 'cafe cafe ase silke lodz');
    assert.equal(fold('ﬁn Ǆ №5 x² １２３ 𝔘𝔫𝔦 ﾄﾖﾀ'), 'fin dz no5 x2 123 uni トヨタ');
    assert.equal(fold('Ёлка й'), 'елка и');
    assert.equal(fold('ΕΛΛΆΣ Ελλάς'), 'ελλασ ελλασ');
  });

  test('white space and control characters become one space, and none at the ends', () => {
    assert.equal(fold(' \tA\u00a0 \n b\0\u0001c\u2028d\u0085 '), 'a b c d');
    assert.equal(fold('Äpfel\u0000 \u0007Ö '), 'apfel o');
    assert.equal(fold(' \u0000 '), '');
  });

  test('punctuation and other scripts are kept', () => {
    assert.equal(fold("O'Neill & Co. (UK) 100%"), "o'neill & co. (uk) 100%");
    assert.equal(fold('株式会社 بنك 🏢'), '株式会社 بنك 🏢');
  });

  test('all kinds of apostrophes, quotation marks and dashes are equal', () => {
    for (const apostrophe of "'`´‘’‚‛ʹʻʼʽˈ′‵‹›՚׳ꞌ＇") assert.equal(fold(`O${apostrophe}Neill`), "o'neill", apostrophe);
    for (const quote of '"“”„‟«»″‶״〝〞〟＂') assert.equal(fold(`${quote}Alfa${quote}`), '"alfa"', quote);
    for (const dash of '-‐‑‒–—―−⁃﹘﹣－֊־〜') assert.equal(fold(`A${dash}B`), 'a-b', dash);
  });

  test('soft hyphens, zero-width characters and text direction marks are ignored', () => {
    const invisible =
      '\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\ufe0f\u034f\u061c\u3164';
    for (const character of invisible) {
      const code = String(character.codePointAt(0)?.toString(16));
      assert.equal(fold(`Al${character}fa ${character}Beta${character}`), 'alfa beta', code);
      assert.equal(fold(character), '', code);
    }
  });

  test('no character of a word sorts below the space between words', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => assert.ok([...fold(text)].every((one) => one >= ' '))),
      { numRuns: 1_000 },
    );
  });

  test('folding twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => assert.equal(fold(fold(text)), fold(text))),
      { numRuns: 1_000 },
    );
  });

  test('a name is folded alone as at the beginning of a long text, which does not use the table', () => {
    const rest = ' ж'.repeat(300);
    const characters = fc.string({ unit: fc.oneof(anyCharacter, fc.constantFrom(...'Жґ Σς\u0301\u00a0ł“')) });
    fc.assert(
      fc.property(characters, (text) => assert.equal(fold(`я${text}`) + rest, fold(`я${text}${rest}`))),
      { numRuns: 1_000 },
    );
  });
});

/** Examples that the authors of the tables give, or names of towns and people as their passports and maps have them. */
describe('names of other alphabets in Latin letters', () => {
  const passports: Readonly<Record<string, string>> = {
    UA:
      'Алушта Alushta, Борщагівка Borshchahivka, Згурський Zghurskyi, Ґалаґан Galagan, Єнакієве Yenakiieve, Гаєвич Haievych, Короп’є Koropie, ' +
      "Запоріжжя Zaporizhzhia, Їжакевич Yizhakevych, Кадиївка Kadyivka, Мар'їне Marine, Йосипівка Yosypivka, Стрий Stryi, Розгон Rozghon, " +
      'Щербухи Shcherbukhy, Юрій Yurii, Корюківка Koriukivka, Яготин Yahotyn, Костянтин Kostiantyn, Знам’янка Znamianka, Феодосія Feodosiia, ' +
      'БЕРЕГИНЯ berehynia, CВIТАНОК svitanok, Подъёмный podieemnyi',
    RU: 'Юлия Iuliia, Щербаков Shcherbakov, Объездчиков Obieezdchikov, Горький Gorkii, Хабаровск Khabarovsk, Цой Tsoi',
    BY: 'Ёлкін Iolkin, Магілёў Mahiliou',
    BG: 'София Sofia, България Bulgaria, Щъркел Shtarkel, Цар Tsar, Юлия Yulia, Кюстендил Kyustendil',
    RS: 'Ђорђевић Dordevic, Љубиша Ljubisa, Њушка Njuska, Џајић Dzajic, Хаџи hadzi',
    MK: 'Ѓорѓи Gjorgji, Ќосев Kjosev, Скопје Skopje, Љубојно Ljubojno',
    KZ: 'Қазақстан Qazaqstan, Алматы Almaty, Орёл Orel',
    MN: 'Улаанбаатар Ulaanbaatar, Өвөрхангай Uvurkhangai',
    GR: 'Ναύπλιο Nafplio, Εύβοια Evvoia, Μπουμπουλίνα Boumpoulina, Αγγελόπουλος Angelopoulos, Σφίγξ Sfinx, Άγχος anchos, Μαΐου maiou, Ταΰγετος taygetos',
    GE: 'თბილისი Tbilisi, ქუთაისი Kutaisi, წყალტუბო tsqaltubo, ჭიათურა chiatura, ღვინო ghvino',
    AM: 'Երևան Yerevan, Գյումրի gyumri, Ոսկեվան Voskevan, Ուրարտու Urartu, Ծաղկաձոր tsaghkadzor',
  };
  for (const [country, pairs] of Object.entries(passports)) {
    test(`passports of ${country}`, () => {
      for (const pair of pairs.split(', ')) {
        const [name = '', latin = ''] = pair.split(' ');
        assert.equal(romanise(name, country)[0], latin.toLowerCase(), name);
      }
    });
  }

  test('a name has a form per table, each once, first that of passports', () => {
    assert.deepEqual(romanise('ТОВ «Берегиня»', 'UA'), ['tov "berehynia"', 'tov "berehynya"', 'tov "beregina"']);
    assert.deepEqual(romanise('Достоевский Южный'), [
      'dostoevskii iuzhnyi',
      'dostoyevskiy yuzhnyy',
      'dostoevsky yuzhny',
      'dostoevskij uznyj',
    ]);
    assert.deepEqual(romanise('Маладзечна', 'BY').slice(1, 3), ['maladziecna', 'maladzyechna']);
    assert.deepEqual(romanise('Алма', 'UA'), ['alma']);
  });

  test('the letters of a name tell its language before the country does', () => {
    assert.equal(romanise('Горилка', 'UA')[0], 'horylka');
    assert.equal(romanise('Горилка и рыба', 'UA')[0], 'gorilka i ryba');
    assert.equal(romanise('Київ', 'DE')[0], 'kyiv');
  });

  test('Latin, Hebrew, Arabic and East Asian letters have no table', () => {
    for (const name of ['Åse Café', 'שלום', 'بنك', '株式会社', '']) assert.deepEqual(romanise(name, 'IL'), [], name);
    assert.deepEqual(romanise('שלום Київ', 'UA')[0], 'שלום kyiv');
  });

  test('forms are folded and have the words of the name', () => {
    const character = fc.oneof(fc.constantFrom(..."абгийьъЁЇєґѓќў ΑυΐΏςმწԵևու'’« -aI"), anyCharacter);
    fc.assert(
      fc.property(fc.string({ unit: character }), fc.constantFrom('UA', 'BG', 'MN', ''), (name, country) => {
        for (const form of romanise(name, country)) assert.equal(fold(form), form);
      }),
      { numRuns: 2_000 },
    );
  });
});

test('CSV quotes what needs it and runs no formula of a register', () => {
  const written: readonly [cell: string | null, csv: string][] = [
    ['ALPHA LTD', 'ALPHA LTD'],
    [null, ''],
    ['Müller, "Co"', '"Müller, ""Co"""'],
    ['LINE\nTWO', '"LINE\nTWO"'],
    ['=cmd|"/c calc"!A1', '"\'=cmd|""/c calc""!A1"'],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1', "' =1"],
    ['\t1', "'\t1"],
    ['\uff1d1', "'\uff1d1"],
    ['00123', '00123'],
    ['A-1', 'A-1'],
  ];
  for (const [cell, csv] of written) {
    assert.equal(writeCsvHeader(['a', 'b']) + writeCsvRow([cell, 'x']), `\ufeffa,b\r\n${csv},x\r\n`, String(cell));
  }
});

test('a list has the smallest of six lengths, is padded with its first value, and follows the other parameters', () => {
  assert.deepEqual([0, 1, 2, 5, 17, 65, 257, 1_000].map(chooseLength), [1, 1, 4, 16, 64, 256, 1_000, 1_000]);
  const write = (list: string) => `IN (${list})`;
  assert.deepEqual(writeListed(write, ['a', 'b']), ['IN ($1, $2, $3, $4)', ['a', 'b', 'a', 'a']]);
  assert.deepEqual(writeListed(write, ['a'], [7, 8]), ['IN ($3)', [7, 8, 'a']]);
  assert.deepEqual(writeListed(write, []), ['IN ($1)', ['']]);
});

test('each number has one line, and its form without separators unless another line has it', () => {
  assert.equal(numberKeys([]), '');
  assert.equal(numberKeys(['AB-1']), 'ab-1\tab1');
  assert.equal(numberKeys(['', 'AB-1', 'ab-1', 'A/B1', 'ab1', '-']), 'ab-1\na/b1\nab1\n-');
  assert.equal(numberKeys(['AB-1', 'A/B1', '7']), 'ab-1\tab1\na/b1\n7');
});

test('many numbers and activities are listed once each, as few are', () => {
  const numbers = Array.from({ length: 60 }, (_, index) => `N-${index % 30}`);
  const lines = Array.from({ length: 30 }, (_, index) => `n-${index}\tn${index}`);
  assert.equal(numberKeys(numbers), lines.join('\n'));
  const activities = numbers.map((code) => ({ type: 'licensed', code, label: null }) as const);
  assert.equal(activityKeys(activities), Array.from({ length: 30 }, (_, index) => `lN-${index}`).join('\n'));
  assert.equal(activityKeys(activities.slice(0, 2)), 'lN-0\nlN-1');
});
