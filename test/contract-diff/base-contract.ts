import type { OpenApi } from '../../scripts/contract-diff.ts';
import type { Schema } from '../../scripts/contract-document.ts';

export const json = (schema: Schema) => ({ 'application/json': { schema } });
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The contract that every test edits. It contains each feature of OpenAPI that the comparison knows. */
export function baseContract(): OpenApi {
  return {
    security: [],
    paths: {
      '/plans': {
        get: {
          responses: {
            200: {
              content: {
                ...json({
                  type: 'object',
                  required: ['data'],
                  properties: { data: { type: 'array', items: ref('Plan') } },
                }),
                'text/csv': { schema: { type: 'string' } },
              },
              headers: {
                'X-Request-ID': { $ref: '#/components/headers/RequestId' },
                'X-Region': { schema: { type: 'string' } },
              },
            },
            404: { $ref: '#/components/responses/NotFound' },
          },
        },
        delete: { responses: { 204: {} } },
      },
      '/entities': {
        parameters: [{ in: 'header', name: 'X-Trace', schema: { type: 'string' } }],
        get: {
          security: [{ headerKey: [] }, { bearerKey: [] }],
          parameters: [
            { $ref: '#/components/parameters/Page' },
            { in: 'query', name: 'kind', schema: { type: 'string', enum: ['licensed', 'unlicensed'] } },
            { in: 'query', name: 'q', schema: { type: 'string', minLength: 1, maxLength: 200, pattern: '^\\S' } },
          ],
          responses: { 200: { content: json(ref('Entity')) } },
        },
      },
      '/keys': {
        post: {
          requestBody: { content: { ...json(ref('NewKey')), 'text/plain': { schema: { type: 'string' } } } },
          responses: { 201: { content: json(ref('Tree')) } },
        },
      },
    },
    components: {
      schemas: {
        Plan: {
          type: 'object',
          required: ['id', 'name', 'price'],
          properties: {
            id: { type: 'string', enum: ['free', 'pro'] },
            name: { type: 'string', description: 'What people see.' },
            price: { type: 'number' },
            since: { type: 'string', format: 'date' },
            note: { type: ['string', 'null'] },
            stage: { const: 'live' },
            limits: { type: 'object', additionalProperties: ref('Limit') },
          },
        },
        Limit: { type: 'object', properties: { perMinute: { type: 'integer' }, perMonth: { type: 'integer' } } },
        Base: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
        Entity: {
          allOf: [
            ref('Base'),
            {
              type: 'object',
              properties: {
                registry: { type: 'object', additionalProperties: true },
                owner: { anyOf: [ref('Person'), ref('Company'), { type: 'null' }] },
              },
            },
          ],
        },
        Person: { type: 'object', properties: { kind: { const: 'person' }, surname: { type: 'string' } } },
        Company: { type: 'object', properties: { kind: { const: 'company' }, number: { type: 'string' } } },
        Tree: {
          type: 'object',
          properties: { label: { type: 'string' }, children: { type: 'array', items: ref('Tree') } },
        },
        NewKey: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 60 },
            days: { type: 'integer', minimum: 1, maximum: 365 },
            scope: { anyOf: [{ const: 'read' }, { const: 'write' }] },
          },
        },
      },
      headers: { RequestId: { required: true, schema: { type: 'string', format: 'uuid' } } },
      parameters: { Page: { in: 'query', name: 'page', schema: { type: 'integer', minimum: 1, maximum: 100 } } },
      responses: { NotFound: { 'x-error-codes': ['plan_not_found', 'plan_retired'] } },
      securitySchemes: {
        headerKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearerKey: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}
