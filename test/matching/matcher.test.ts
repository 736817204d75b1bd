import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Failure } from '../../src/base/errors.ts';
import { matchEach } from '../../src/search/match/batch.ts';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { MatchAnswer, Matcher, MatchQuery } from '../../src/search/match/matching.ts';
import { readNames } from '../../src/search/match/name.ts';
import { MAX_WORDS } from '../../src/search/match/tokens.ts';
import { requester, sourceOf, type TestCompany } from './source.ts';

async function ask(companies: readonly TestCompany[], query: MatchQuery): Promise<MatchAnswer> {
  const { answer } = await createMatcher(sourceOf(companies)).match(query, requester);
  return answer;
}

const pairs = readFileSync(new URL('pairs.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => line.split('\t'));

for (const [asked = '', known = '', status = ''] of pairs) {
  if (status === 'uncertain') continue;
  test(`“${asked}” and “${known}”: ${status}`, async () => {
    const answer = await ask([{ name: known, country: '' }], { name: asked });
    assert.equal(answer.status, status, JSON.stringify(answer.candidates[0]));
    assert.equal(answer.candidates[0]?.match ?? false, status === 'match');
  });
}

for (const [asked = '', known = '', status] of pairs) {
  if (status !== 'uncertain') continue;
  test(`“${asked}” is never a match for “${known}”`, async () => {
    const answer = await ask([{ name: known, country: 'CA' }], { name: asked, country: 'CA' });
    assert.notEqual(answer.status, 'match');
    assert.ok(answer.candidates.every(({ match }) => !match));
  });
}

test('companies that share nothing with the name are not returned', async () => {
  const answer = await ask([{ name: 'ZEBULON LTD' }, { name: 'QUARZWERK LTD' }], { name: 'Zebulon' });
  assert.deepEqual(
    answer.candidates.map(({ entity }) => entity.canonicalName),
    ['ZEBULON LTD'],
  );
  assert.deepEqual((await ask([{ name: 'QUARZWERK LTD' }], { name: 'Limited' })).candidates, []);
});

test('several companies of one name are ambiguous, and a number, city or postcode decides', async () => {
  const companies = Array.from({ length: 7 }, (_, at) => {
    return { name: 'STAVBY s.r.o.', country: 'CZ', number: `0000000${at}`, city: `Town ${at}`, postcode: `${at}0000` };
  });
  const answer = await ask(companies, { name: 'Stavby', country: 'CZ' });
  assert.equal(answer.status, 'ambiguous');
  assert.equal(answer.text, '7 companies in Czechia have this name: add a number or a city');
  assert.ok(answer.candidates.every(({ match, score }) => !match && score < 0.2));
  const byNumber = await ask(companies, { name: 'Stavby', country: 'CZ', registrationNumber: '0000000-3' });
  assert.deepEqual([byNumber.status, byNumber.candidates[0]?.entity.registrationNumber], ['match', '00000003']);
  const byCity = await ask(companies, { name: 'Stavby', country: 'CZ', city: 'town 5', postcode: '50 000' });
  assert.equal(byCity.candidates[0]?.entity.city, 'Town 5');
});

test('a number decides almost alone, and another name is shown as a reason against it', async () => {
  const companies = [
    { name: 'ZEBULON LTD', number: '01234567' },
    { name: 'QUARZWERK LTD', number: '07654321' },
  ];
  const fits = await ask(companies, { name: 'Quarz Works', registrationNumber: '7654321' });
  assert.equal(fits.candidates[0]?.entity.canonicalName, 'QUARZWERK LTD');
  assert.ok(fits.candidates[0]?.reasons.some(({ feature, weight }) => feature === 'number' && weight > 0));
  const contradicts = await ask(companies, { name: 'Zebulon Ltd', registrationNumber: '99999999' });
  const [reason] = contradicts.candidates[0]?.reasons.filter(({ feature }) => feature === 'numberOther') ?? [];
  assert.equal(reason?.text, 'Its number is 01234567, not 99999999');
});

test('a status counts if the company has one, and the reason for a rare word names it', async () => {
  const companies = [{ name: 'ZEBULON LTD', status: 'unknown' }, { name: 'QUARZWERK LTD' }];
  const reasonsOf = async (query: MatchQuery) =>
    (await ask(companies, query)).candidates[0]?.reasons.map(({ feature, text }) => [feature, text]) ?? [];
  const unknown = await reasonsOf({ name: 'Zebulon Ltd', status: 'active' });
  assert.ok(unknown.length > 0 && unknown.every(([feature]) => !feature?.startsWith('status')));
  const active = Object.fromEntries(await reasonsOf({ name: 'Quarzwerk Bellamy', status: 'dissolved' }));
  assert.equal(active.statusOther, 'Its status is active, not dissolved');
  assert.equal(active.askedRare, '“bellamy” is distinctive');
});

test('a former name matches with a mark', async () => {
  const answer = await ask([{ name: 'NEW HORIZON LTD', former: ['ZEBULON FOODS LTD'] }], { name: 'Zebulon Foods' });
  assert.equal(answer.status, 'match');
  assert.ok(
    answer.candidates[0]?.reasons.some(
      ({ feature, text }) => feature === 'former' && text.includes('ZEBULON FOODS LTD'),
    ),
  );
});

test('nothing found, and nothing that fits', async () => {
  assert.deepEqual(await ask([], { name: 'Zebulon' }), {
    status: 'none',
    text: 'No company with a similar name was found',
    candidates: [],
    bounded: false,
  });
  assert.equal((await ask([{ name: 'QUARZWERK LTD' }], { name: '' })).status, 'none');
});

test('the weights of the reasons add up to the score', async () => {
  const answer = await ask([{ name: 'CRYSTALORD HOLDINGS LIMITED', city: 'LEEDS' }], {
    name: 'Crystalrod',
    city: 'York',
  });
  const [first] = answer.candidates;
  const sum = first?.reasons.reduce((total, { weight }) => total + weight, 0) ?? 0;
  const odds = Math.exp(0.7 * sum + 2.3);
  assert.ok(Math.abs(odds / (1 + odds) - (first?.score ?? 0)) < 0.01);
});

test('a list is answered in order, from one version: queries are asked again, once, if the data changes meanwhile', async () => {
  let asked = 0;
  const source = sourceOf([{ name: 'ZEBULON LTD' }], 100_000, () => (asked++ === 0 ? '1-0' : '2-0'));
  const list = [{ query: { name: 'Zebulon' } }, { query: { name: 'Other' } }];
  const { version, outcomes } = await matchEach(createMatcher(source), list, requester);
  assert.equal(version, '2-0');
  assert.deepEqual(
    outcomes.map((each) => 'answer' in each && each.answer.status),
    ['match', 'none'],
  );
  let always = 0;
  const changing = createMatcher(sourceOf([], 1, () => `${++always}-0`));
  const { outcomes: changed } = await matchEach(changing, list, requester);
  assert.equal(always, 3);
  const [failed] = changed.filter((each) => 'error' in each);
  assert.ok(failed?.error instanceof Failure && failed.error.code === 'service_unavailable');
});

test('other work runs between the queries of a long list', async () => {
  const companies = Array.from({ length: 60 }, (_, at) => ({
    name: `ZEBULON ${'QUARZWERK FOODS '.repeat(5)} ${at} LTD`,
  }));
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const queries = Array.from({ length: 100 }, () => ({ query: { name: 'Zebulon Quartzwerk Fods '.repeat(10) } }));
  await matchEach(createMatcher(sourceOf(companies)), queries, requester);
  clearInterval(timer);
  assert.ok(turns > 0);
});

/** Written as words, then the classes of the legal forms. */
function describe(text: string, country?: string): string {
  return readNames(text, country)
    .map(({ key, forms }) => [key, ...forms.map(({ meanings }) => meanings[0]?.class ?? '')].join(' | '))
    .join(' || ');
}

const cases: readonly (readonly [text: string, read: string, country?: string])[] = [
  ['ALBION ELM HOLDINGS LTD', 'albion elm holdings | limited'],
  ['SiemensAG', 'siemens | stock'],
  ['Siemens Aktiengeselschaft', 'siemens | stock'],
  ['Foo GmbH & Co. KG', 'foo | limited partnership'],
  ['OOO "Лукойл"', 'lukoil | limited'],
  ['Акционерное общество Завод', 'zavod | stock'],
  ['ТОВ «Київ Хліб»', 'kyiv khlib | limited', 'UA'],
  ['Societatea cu Răspundere Limitată PRO TRAFFIC', 'pro traffic | limited'],
  ['FABERLIC EUROPE Sp. z o.o.', 'faberlic europe | limited'],
  ['SIA Latvijas Gāze', 'latvijas gaze | limited', 'LV'],
  ['AS Tallink', 'tallink | stock', 'EE'],
  ['Nordic Water AS', 'nordic water | limited', 'NO'],
  ['P.T. Astra International', 'astra international | limited', 'ID'],
  ['A.B.C. Company', 'abc | company'],
  ['A-B-C Company', 'abc | company'],
  ['AT&T Inc.', 'at t | corporation'],
  ['H & M Hennes and Mauritz AB', 'hm hennes mauritz | limited'],
  ['JOINT STOCK COMPAN Missiles', 'missiles | stock'],
  ['Fund II', 'fund 2'],
  ['Fund Second', 'fund 2'],
  ['2nd Fund', '2 fund'],
  ['KKR Asian Fund I L.P.', 'kkr asian fund 1 | limited partnership'],
  ['Brigade Forty-Four', 'brigade 44'],
  ['COOP', 'coop'],
  ['CORP', 'corp'],
  ['Limited', 'limited'],
  ['The Pudney Trust', 'pudney trust'],
  ['Foo Ltd t/a Bar', 'foo ltd bar || foo | limited || bar'],
  ['Foo Ltd c/o Bar Inc', 'foo | limited || bar'],
  ['PwC (PricewaterhouseCoopers)', 'pwc pricewaterhousecoopers || pwc || pricewaterhousecoopers'],
  ['Deutsche Bank (Schweiz) AG', 'deutsche bank schweiz | stock'],
  ['ΑΝΩΝΥΜΗ ΕΤΑΙΡΕΙΑ ΤΡΑΠΕΖΑ', 'trapeza | stock'],
];

for (const [text, read, country] of cases) {
  test(`reads ${text}`, () => assert.equal(describe(text, country), read));
}

test('a word that is a form in another country stays a word', () => {
  assert.equal(describe('SAS Institute', 'CA'), 'sas institute');
});

test('countries are recognized in several languages', () => {
  const codes = ['México', 'Schweiz', 'Norge', 'Hong Kong', 'Suomi'].map(
    (name) => readNames(`Foo ${name}`)[0]?.words.at(-1)?.place,
  );
  assert.deepEqual(codes, ['MX', 'CH', 'NO', 'HK', 'FI']);
});

test('of long names only the beginning is read', () => {
  for (const text of [
    'a'.repeat(10_000),
    'word '.repeat(200),
    'a '.repeat(5_000),
    '('.repeat(10_000),
    'a.'.repeat(5_000),
    'x/ '.repeat(3_000),
  ]) {
    for (const { words, joined } of readNames(text)) {
      assert.ok(words.length <= MAX_WORDS);
      assert.ok(joined.length <= 300);
    }
  }
});

const answer: MatchAnswer = { status: 'none', text: '', candidates: [], bounded: false };
const queries = Array.from({ length: 100 }, (_, at) => ({ query: { name: `Name ${at}` } }));

/** The deadline passes when `answered` queries have been asked for. */
function createAsked(answered: number) {
  let asked = 0;
  const matcher: Matcher = {
    async match() {
      asked++;
      return { version: '1-0', answer };
    },
  };
  const requester = {
    account: 'account',
    get deadline() {
      return asked >= answered ? 0 : Number.POSITIVE_INFINITY;
    },
  };
  return { matcher, requester, count: () => asked };
}

test('a list whose deadline has passed stops: the other queries fail, and none of them is computed', async () => {
  const { matcher, requester, count } = createAsked(30);
  const { outcomes } = await matchEach(matcher, queries, requester);
  assert.equal(count(), 30);
  assert.equal(outcomes.filter((each) => 'answer' in each).length, 30);
  for (const each of outcomes) {
    if ('answer' in each) continue;
    assert.ok(each.error instanceof Failure && each.error.code === 'service_unavailable');
  }
});

test('a list whose caller has gone stops, and says what was answered', async () => {
  const { matcher, count } = createAsked(100);
  const requester = { account: 'account', deadline: Number.POSITIVE_INFINITY, isGone: () => count() >= 30 };
  const { outcomes } = await matchEach(matcher, queries, requester);
  assert.deepEqual([count(), outcomes.filter((each) => 'answer' in each).length], [30, 30]);
});

test('a list whose deadline has passed before its first query fails as a whole', async () => {
  const { matcher, requester, count } = createAsked(0);
  await assert.rejects(
    matchEach(matcher, queries, requester),
    (error) => error instanceof Failure && error.code === 'service_unavailable',
  );
  assert.equal(count(), 0);
});

/** Not the module that other tests have already used. */
const fresh: string = '../../src/search/match/places.ts?fresh';

test('the names of countries are read in many turns of the event loop, once for all who wait', async () => {
  const { preparePlaces, readPlace }: typeof import('../../src/search/match/places.ts') = await import(fresh);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all([preparePlaces(), preparePlaces()]);
  isDone = true;
  assert.ok(turns > 3, `${turns} turns`);
  assert.deepEqual(readPlace(['banco', 'korea'], 1), { code: 'KR', length: 1 });
  assert.deepEqual(readPlace(['republica', 'dominicana'], 0), { code: 'DO', length: 2 });
  assert.equal(readPlace(['banco'], 0), undefined);
  turns = 0;
  await preparePlaces();
  assert.equal(turns, 0, 'they are not read again');
});
