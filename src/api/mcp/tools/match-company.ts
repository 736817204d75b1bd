import Type from 'typebox';
import type { MatchCandidate } from '../../../search/match/matching.ts';
import { MatchParameters, toMatchQuery } from '../../../search/match-parameters.ts';
import { boundField, NOTICE, quote } from '../register-text.ts';
import { argument, Company, createCitations, required, Text, toCompany, writeCompany } from '../shapes.ts';
import { defineTool } from '../tool.ts';

const { name, country, registrationNumber, city } = MatchParameters.properties;
const LIMIT = 5;
const MAX_REASONS = 4;

export const matchTool = defineTool({
  name: 'match_company',
  description:
    'Finds the company meant by an inexact name: misspelt, shortened, in another script. score is a probability. Rely on a candidate ' +
    'only if match is true; otherwise add country, number or city, or ask the user.',
  input: {
    name: required(name),
    country: argument(country),
    registrationNumber: argument(registrationNumber),
    city: argument(city),
  },
  output: {
    status: Text,
    text: Text,
    candidates: Type.Array(
      Type.Object({ score: Type.Number(), match: Type.Boolean(), reasons: Type.Array(Text), company: Company }),
    ),
  },
  async run(given, { matcher, registry }, { accountId, deadline }) {
    const query = { ...toMatchQuery(given), limit: LIMIT };
    const { answer } = await matcher.match(query, { account: accountId, deadline });
    const { status, text, candidates: found } = answer;
    const rows = await registry.findMainRows(found.map(({ entity }) => entity.id));
    const candidates = found.map(({ entity, score, match, reasons }) => ({
      score,
      match,
      reasons: strongest(reasons).map((reason) => boundField(reason.text)),
      company: toCompany(entity, rows.get(entity.id)),
    }));
    const { cite, list } = createCitations();
    const lines = candidates.map(({ score, match, reasons, company }, index) => {
      const why = reasons.map((reason) => quote(reason)).join(' ');
      return `${index + 1}. ${score.toFixed(3)}${match ? ' match' : ''}: ${writeCompany(company, cite)}; because ${why}`;
    });
    const head = `${status}: ${quote(text)}`;
    const whole = lines.length === 0 ? head : [head, NOTICE, ...lines, ...list()].join('\n');
    return { data: { status, text, candidates }, text: whole };
  },
});

function strongest(reasons: MatchCandidate['reasons']): MatchCandidate['reasons'] {
  return reasons.toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).slice(0, MAX_REASONS);
}
