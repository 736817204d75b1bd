import Type from 'typebox';
import type { Routes } from '../../http/app.ts';
import { elfCodes, legalFormClassNames } from '../../registers/classifications/elf.ts';
import type { Choices } from '../../search/choices.ts';
import { SearchParameters } from '../../search/parameters.ts';
import type { AppServices } from '../app-services.ts';
import type { DataContent } from '../charged/operation.ts';
import { type Charging, registerDataRoute } from '../charged/route.ts';
import { describeCodes } from './code-list.ts';

const ElfCode = Type.Object(
  {
    code: Type.String({ description: 'The code, as the parameter `elf` takes it.', examples: ['H0PO'] }),
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
    entities: Type.Integer({ minimum: 0, description: 'Companies with this code.', examples: [1200] }),
  },
  { $id: 'ElfCode', description: 'A code of the list of entity legal forms (ELF, ISO 20275).' },
);

const ElfList = Type.Object(
  { data: Type.Array(ElfCode), meta: Type.Object({ count: Type.Integer({ minimum: 0, examples: [33] }) }) },
  { $id: 'ElfList' },
);

const ElfParameters = Type.Object({ country: SearchParameters.properties.country }, { additionalProperties: false });

export function registerElfCodes(app: Routes, { search }: AppServices, charging: Charging): void {
  /** Replies by country, as long as the counts are the same. */
  let latest: { readonly choices: Choices; readonly replies: Map<string, DataContent> } | undefined;
  registerDataRoute(app, charging, {
    url: '/api/v1/classifications/elf',
    operation: {
      operationId: 'listElf',
      summary: 'List ELF codes',
      description:
        'Returns the [legal forms](/docs/legal-forms) of the list of entity legal forms (ELF, ISO 20275) that are in use, of one country or ' +
        'of all, in the order of their codes. Each has its name and the number of companies that `elf` finds with it; with `country`, of ' +
        'companies in that country. After an import, the numbers may be those from before it for a moment.',
    },
    querystring: ElfParameters,
    success: { description: 'All codes of the country, and all that companies in it have.', schema: ElfList },
    async answer({ country = '' }) {
      const version = await search.version();
      const choices = await search.listChoices();
      if (latest?.choices !== choices) latest = { choices, replies: new Map() };
      const wanted = country.toUpperCase();
      return latest.replies.getOrInsertComputed(wanted, () => describeReply(version, choices, wanted));
    },
  });
}

function describeReply(version: string, { countries }: Choices, country: string): DataContent {
  const counts = new Map<string, number>();
  for (const { code, elf } of countries) {
    if (country !== '' && code !== country) continue;
    for (const { value, entities } of elf) counts.set(value, entities + (counts.get(value) ?? 0));
  }
  const listed = [...elfCodes.values()].filter((one) => one.isActive && (country === '' || one.country === country));
  const codes = [...new Set([...listed.map(({ code }) => code), ...counts.keys()])].sort();
  const data = codes.map((code) => {
    const known = elfCodes.get(code);
    return {
      code,
      countryCode: known?.country ?? null,
      name: known?.name ?? null,
      legalFormClass: known?.class ?? null,
      entities: counts.get(code) ?? 0,
    };
  });
  return describeCodes(version, data);
}
