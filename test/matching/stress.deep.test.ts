import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { openReference, type Reference } from '../../bench/match/reference.ts';
import { createMatcher } from '../../src/search/match/matcher.ts';
import type { MatchAnswer } from '../../src/search/match/matching.ts';
import { useFolder } from '../harness/use.ts';
import { requester } from './source.ts';

/** Words that many companies have. A country that is not listed has the first line. */
const ORDINARY: Readonly<Record<string, string>> = {
  '': 'holdings group services international management trading transport engineering air foods logistics school estates trust fund',
  GB: 'holdings services global management residents estates plumbing heating scaffolding foods care dental securities bank fund northern old new park school timber kent',
  UA: 'агро трейд холдинг сервіс плюс лан колос світанок буд інвест захід схід степ шлях центр',
  RU: 'сервис центр инвест торг строй пром восток',
  FR: 'transports boulangerie pharmacie garage residence societe etablissements banque nord sud les de des',
  CZ: 'stavby pekárna lékárna agro společenství vlastníků pekařství morava',
  BR: 'comercio industria de padaria auto posto supermercado condominio edificio',
  FI: 'asunto kiinteistö rakennus remontti',
  NO: 'bygg eiendom transport sameie borettslaget sjømat',
  DE: 'solarpark windpark bäckerei verwaltungs backwaren maschinenbau',
};
const SYLLABLES = 'ba ce do fu gi la me no pu ri sa te vo zu ka'.split(' ');

/** Companies around the pairs, so that words are as frequent as in a register. */
function* inventOthers(countries: Iterable<string>) {
  for (const country of countries) {
    const words = (ORDINARY[country] ?? ORDINARY[''] ?? '').split(' ');
    for (let at = 0; at < 400; at++) {
      const name = [at, at * 7 + 3, at * 11 + 5].map((one) => SYLLABLES[one % SYLLABLES.length]).join('') + (at >> 4);
      const [first, second] = [words[at % words.length], words[(at * 3 + 1) % words.length]];
      yield { id: `other ${country} ${at}`, name: `${name} ${first} ${second}`, country };
    }
  }
}

interface StressPair {
  readonly country: string;
  readonly asked: string;
  readonly known: string;
  readonly former: string | undefined;
}

/** `pairs.txt` has pairs of names of the same company, then pairs of names of different ones. */
const [same, others] = readFileSync(new URL('pairs.txt', import.meta.url), 'utf8')
  .split('# Another company')
  .map((lines) => lines.split('\n').filter((line) => line !== '' && !line.startsWith('#')))
  .map((lines) =>
    lines.map((line): StressPair => {
      const [country = '', asked = '', known = '', former] = line.split(' | ');
      return { country, asked, known, former };
    }),
  ) as [StressPair[], StressPair[]];
const idOf = ({ country, known }: StressPair) => `${country} ${known}`;

describe('names as people and registers write them', () => {
  const folder = useFolder();
  let reference: Reference;
  before(async () => {
    const pairs = [...same, ...others];
    const companies = new Map(
      pairs.map((pair) => {
        const former = pair.former === undefined ? [] : [pair.former];
        return [idOf(pair), { id: idOf(pair), name: pair.known, country: pair.country, former }];
      }),
    );
    const countries = new Set(pairs.map(({ country }) => country));
    reference = await openReference(folder, 'GB', [...companies.values(), ...inventOthers(countries)]);
  });
  after(() => reference.close());

  async function ask(name: string, country: string): Promise<MatchAnswer> {
    const { answer } = await createMatcher(reference.source).match({ name, country }, requester);
    return answer;
  }

  const explain = ({ candidates: [first] }: MatchAnswer) =>
    `${first?.entity.canonicalName} ${first?.score}: ${first?.reasons.map(({ text, weight }) => `${text} (${weight})`).join('; ')}`;

  for (const pair of same) {
    test(`${pair.asked} is ${pair.known}`, async () => {
      const answer = await ask(pair.asked, pair.country);
      const id = answer.candidates[0]?.entity.id ?? '';
      assert.equal(reference.idOf.get(id), idOf(pair), explain(answer));
      assert.notEqual(answer.status, 'none', explain(answer));
    });
  }

  for (const { asked, known, country } of others) {
    test(`${asked} is not ${known}`, async () => {
      const answer = await ask(asked, country);
      assert.notEqual(answer.status, 'match', explain(answer));
    });
  }
});
