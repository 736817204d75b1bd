import Type from 'typebox';
import { keepCompressed } from '../../base/system/compression.ts';
import type { Routes } from '../../http/app.ts';
import { answers, json } from '../answers.ts';
import type { Contract } from '../contract.ts';

const OpenApiDocument = Type.Object({}, { $id: 'OpenApiDocument', additionalProperties: true });

export function registerOpenApi(app: Routes, contract: () => Contract): void {
  let text: Buffer | undefined;
  app.route({
    method: 'GET',
    url: '/api/v1/openapi.json',
    operation: {
      operationId: 'getContract',
      tag: 'Public',
      summary: 'Retrieve this contract',
      description: 'Returns the contract of this version as an OpenAPI 3.1 document.',
      authentication: 'none',
      needsNoData: true,
    },
    schema: { response: answers({ 200: json('The OpenAPI document.', OpenApiDocument) }) },
    handler: async (_request, reply) => {
      text ??= keepCompressed(Buffer.from(renderContract(contract())));
      reply.type('application/json; charset=utf-8').header('Cache-Control', 'public, max-age=300');
      return reply.send(text);
    },
  });
}

/** The text that is committed as `openapi.json`. */
export function renderContract(contract: Contract): string {
  return `${JSON.stringify(contract, null, 2)}\n`;
}
