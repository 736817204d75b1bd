import Type from 'typebox';
import type { Routes } from '../../http/app.ts';
import { isicCodes, titleOf, withParents } from '../../registers/classifications/isic.ts';
import { isicLevels, levelOf } from '../../registers/classifications/isic-code.ts';
import type { IsicCounts } from '../../search/choices.ts';
import type { AppServices } from '../app-services.ts';
import type { DataContent } from '../charged/operation.ts';
import { type Charging, registerDataRoute } from '../charged/route.ts';
import { describeCodes } from './code-list.ts';

const IsicCode = Type.Object(
  {
    code: Type.String({ description: 'The code, as the parameter `isic` takes it.', examples: ['62'] }),
    level: Type.Enum([...isicLevels], { type: 'string', description: 'The level of the code.' }),
    parent: Type.Union([Type.String(), Type.Null()], {
      description: 'The code that this one belongs to. `null` for a section.',
      examples: ['J'],
    }),
    label: Type.String({
      description: 'English title.',
      examples: ['Computer programming, consultancy and related activities'],
    }),
    entities: Type.Integer({
      minimum: 0,
      description:
        'Companies with an activity in this code. A company with several activities can be in several codes.',
      examples: [1200],
    }),
  },
  { $id: 'IsicCode', description: 'A section, division, group or class of ISIC Rev. 4.' },
);

const IsicTree = Type.Object(
  {
    data: Type.Array(IsicCode),
    meta: Type.Object({ count: Type.Integer({ minimum: 0, examples: [766] }) }),
  },
  { $id: 'IsicTree' },
);

export function registerIsicCodes(app: Routes, { search }: AppServices, charging: Charging): void {
  let latest: { readonly counts: IsicCounts; readonly reply: DataContent } | undefined;
  registerDataRoute(app, charging, {
    url: '/api/v1/classifications/isic',
    operation: {
      operationId: 'listIsic',
      summary: 'List ISIC codes',
      description:
        'Returns all sections, divisions, groups and classes of [ISIC Rev. 4](/docs/classifications) in their order, each with its English ' +
        'title and the number of companies that `isic` finds with it. After an import, the numbers may be those from before it for a moment.',
    },
    success: { description: 'All codes, each after the one it belongs to.', schema: IsicTree },
    async answer() {
      const version = await search.version();
      const { isic: counts } = await search.listChoices();
      if (latest?.counts !== counts) latest = { counts, reply: describeReply(version, counts) };
      return latest.reply;
    },
  });
}

function describeReply(version: string, { codes }: IsicCounts): DataContent {
  const data = isicCodes.map((code) => ({
    code,
    level: levelOf(code),
    parent: withParents(code).at(-2) ?? null,
    label: titleOf(code),
    entities: codes.get(code) ?? 0,
  }));
  return describeCodes(version, data);
}
