import Type from 'typebox';
import { keepCompressed } from '../base/system/compression.ts';
import { JSON_TYPE } from '../http/reply.ts';
import { json } from './serving/answers.ts';
import { publicOperation } from './serving/operation.ts';

const OpenApiDocument = Type.Object({}, { $id: 'OpenApiDocument', additionalProperties: true });

export const openApi = publicOperation({
  url: '/api/v1/openapi.json',
  operationId: 'getContract',
  tag: 'Public',
  summary: 'Retrieve this contract',
  description: 'Returns the contract of this version as an OpenAPI 3.1 document.',
  needsNoData: true,
  replies: { 200: json('The OpenAPI document.', OpenApiDocument) },
  answer({ contract }) {
    let text: Buffer | undefined;
    return (_request, reply) => {
      text ??= keepCompressed(Buffer.from(contract()));
      return reply.type(JSON_TYPE).header('Cache-Control', 'public, max-age=300').send(text);
    };
  },
});
