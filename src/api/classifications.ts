import Type from 'typebox';
import { elfCodes, legalFormClassNames } from '../registers/classifications/elf.ts';
import { isicCodes, titleOf, withParents } from '../registers/classifications/isic.ts';
import { isicLevels, levelOf } from '../registers/classifications/isic-code.ts';
import type { Choices } from '../search/choices.ts';
import { SearchParameters } from '../search/parameters.ts';
import { choice, component, count, parametersOf, replyOf, text } from './fields.ts';
import { type DataContent, dataOperation, renderList } from './serving/data-operation.ts';
import type { Api } from './serving/operation.ts';

/** Official lists of codes, each with the number of companies that have the code. */

const IsicCode = component('IsicCode', 'A section, division, group or class of ISIC Rev. 4.', {
  code: text('The code, as the parameter `isic` takes it.', '62'),
  level: choice([...isicLevels], 'The level of the code.', undefined, { type: 'string' }),
  parent: Type.Union([Type.String(), Type.Null()], {
    description: 'The code that this one belongs to. `null` for a section.',
    examples: ['J'],
  }),
  label: text('English title.', 'Computer programming, consultancy and related activities'),
  entities: count(
    'Companies with an activity in this code. A company with several activities can be in several codes.',
    1200,
  ),
});

const ElfCode = component('ElfCode', 'A code of the list of entity legal forms (ELF, ISO 20275).', {
  code: text('The code, as the parameter `elf` takes it.', 'H0PO'),
  countryCode: Type.Union([Type.String(), Type.Null()], {
    description: 'The country of the form. `null` if the code is not in our edition of the list.',
    examples: ['GB'],
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description: 'The name of the form in its country. `null` if the code is not in our edition of the list.',
    examples: ['Private Limited Company'],
  }),
  legalFormClass: Type.Union([Type.Enum([...legalFormClassNames], { type: 'string' }), Type.Null()], {
    description: 'The class of the form. `null` if it is not known. New values may be added.',
    examples: ['limited_company'],
  }),
  entities: count('Companies with this code.', 1200),
});

const countOf = (codes: number) => ({ count: Type.Integer({ minimum: 0, examples: [codes] }) });
const IsicTree = replyOf('IsicTree', Type.Array(IsicCode), countOf(766));
const ElfList = replyOf('ElfList', Type.Array(ElfCode), countOf(33));
const ElfParameters = parametersOf({ country: SearchParameters.properties.country });

export const classifications = [
  dataOperation({
    url: '/api/v1/classifications/isic',
    operationId: 'listIsic',
    summary: 'List ISIC codes',
    description:
      'Returns all sections, divisions, groups and classes of [ISIC Rev. 4](/docs/classifications) in their order, each with its English ' +
      'title and the number of companies that `isic` finds with it. After an import, the numbers may be those from before it for a moment.',
    success: { description: 'All codes, each after the one it belongs to.', schema: IsicTree },
    answer: listWith(describeIsic),
  }),
  dataOperation({
    url: '/api/v1/classifications/elf',
    operationId: 'listElf',
    summary: 'List ELF codes',
    description:
      'Returns the [legal forms](/docs/legal-forms) of the list of entity legal forms (ELF, ISO 20275) that are in use, of one country or ' +
      'of all, in the order of their codes. Each has its name and the number of companies that `elf` finds with it; with `country`, of ' +
      'companies in that country. After an import, the numbers may be those from before it for a moment.',
    querystring: ElfParameters,
    success: { description: 'All codes of the country, and all that companies in it have.', schema: ElfList },
    answer: listWith(describeElf),
  }),
];

/** Answers with a list that is made once per version of the choices and country. */
function listWith(describe: (choices: Choices, country: string) => object[]) {
  return ({ search }: Api) => {
    const known = new WeakMap<Choices, Map<string, DataContent>>();
    return async ({ country = '' }: { readonly country?: string }) => {
      const version = await search.version();
      const choices = await search.listChoices();
      const replies = known.getOrInsertComputed(choices, () => new Map<string, DataContent>());
      const wanted = country.toUpperCase();
      return replies.getOrInsertComputed(wanted, () => renderList(version, describe(choices, wanted)));
    };
  };
}

function describeIsic({ isic }: Choices): object[] {
  return isicCodes.map((code) => ({
    code,
    level: levelOf(code),
    parent: withParents(code).at(-2) ?? null,
    label: titleOf(code),
    entities: isic.codes.get(code) ?? 0,
  }));
}

function describeElf({ countries }: Choices, country: string): object[] {
  const counts = new Map<string, number>();
  for (const { code, elf } of countries) {
    if (country !== '' && code !== country) continue;
    for (const { value, entities } of elf) counts.set(value, entities + (counts.get(value) ?? 0));
  }
  const listed = [...elfCodes.values()].filter((one) => one.isActive && (country === '' || one.country === country));
  const codes = [...new Set([...listed.map(({ code }) => code), ...counts.keys()])].sort();
  return codes.map((code) => {
    const known = elfCodes.get(code);
    return {
      code,
      countryCode: known?.country ?? null,
      name: known?.name ?? null,
      legalFormClass: known?.class ?? null,
      entities: counts.get(code) ?? 0,
    };
  });
}
