import { describe } from 'node:test';
import { json } from './base-contract.ts';
import { allows, entities, newKey, page, plans, rejects } from './edits.ts';

describe('requests', () => {
  allows('a new optional parameter', { [`${entities} parameters 3`]: { in: 'query', name: 'new', schema: {} } });
  allows('a new optional body field', { [`${newKey} properties added`]: { type: 'string' } });
  allows('a required body field that is optional now', { [`${newKey} required`]: [] });
  allows('more values', {
    [`${entities} parameters 1 schema enum 2`]: 'all',
    [`${newKey} properties scope anyOf 2`]: { const: 'all' },
  });
  allows('any value', { [`${entities} parameters 1 schema enum`]: undefined });
  allows('wider bounds', {
    [`${page} schema`]: { type: 'integer', minimum: 0, maximum: 1000 },
    [`${newKey} properties name`]: { type: 'string', minLength: 0 },
    [`${entities} parameters 2 schema`]: { type: 'string' },
  });
  allows('a wider type', { [`${page} schema type`]: ['number', 'null'] });
  allows(
    'unlisted fields in a body',
    { [`${newKey} additionalProperties`]: true },
    { [`${newKey} additionalProperties`]: false },
  );

  rejects('a new required parameter', { [`${entities} parameters 3`]: { in: 'query', name: 'new', required: true } }, [
    'GET /entities request: query parameter new is now required',
  ]);
  rejects('an optional parameter made required', { [`${page} required`]: true }, [
    'GET /entities request: query parameter page is now required',
  ]);
  rejects('a removed parameter', { [`${entities} parameters 2`]: { $ref: '#/components/parameters/Page' } }, [
    'GET /entities request: query parameter q was removed',
  ]);
  rejects('a removed parameter of a path', { 'paths /entities parameters': undefined }, [
    'GET /entities request: header parameter x-trace was removed',
  ]);
  rejects('a new required body field', { [`${newKey} properties new`]: {}, [`${newKey} required 1`]: 'new' }, [
    'POST /keys request: field new is now required',
  ]);
  rejects('an optional body field made required', { [`${newKey} required 1`]: 'days' }, [
    'POST /keys request: field days is now required',
  ]);
  rejects('a removed body field', { [`${newKey} properties days`]: undefined }, [
    'POST /keys request: field days was removed',
  ]);
  rejects('a body made required', { 'paths /keys post requestBody required': true }, [
    'POST /keys request: body is now required',
  ]);
  rejects('a new required body', { 'paths /plans delete requestBody': { required: true, content: json({}) } }, [
    'DELETE /plans request: body is now required',
  ]);
  rejects('a removed body', { 'paths /keys post requestBody': undefined }, ['POST /keys request: body was removed']);
  rejects('a removed media type', { 'paths /keys post requestBody content text/plain': undefined }, [
    'POST /keys request: media type text/plain was removed',
  ]);
  rejects('another type', { [`${page} schema type`]: 'string' }, [
    'GET /entities request: type of query parameter page changed from integer to string',
  ]);
  rejects(
    'null that is no longer accepted',
    { [`${newKey} properties days type`]: 'integer' },
    ['POST /keys request: type of field days changed from integer or null to integer'],
    { [`${newKey} properties days type`]: ['integer', 'null'] },
  );
  rejects('a value that is no longer accepted', { [`${entities} parameters 1 schema enum`]: ['licensed'] }, [
    'GET /entities request: query parameter kind no longer accepts "unlicensed"',
  ]);
  rejects('a constant that is no longer accepted', { [`${newKey} properties scope`]: { const: 'read' } }, [
    'POST /keys request: field scope no longer accepts "write"',
  ]);
  rejects('a new list of values', { [`${newKey} properties name enum`]: ['a', 'b'] }, [
    'POST /keys request: field name is now limited to "a", "b"',
  ]);
  rejects('a raised minimum', { [`${page} schema minimum`]: 2 }, [
    'GET /entities request: minimum of query parameter page changed from 1 to 2',
  ]);
  rejects('a lowered maximum', { [`${page} schema maximum`]: 50 }, [
    'GET /entities request: maximum of query parameter page changed from 100 to 50',
  ]);
  rejects('a raised minLength', { [`${newKey} properties name minLength`]: 2 }, [
    'POST /keys request: minLength of field name changed from 1 to 2',
  ]);
  rejects('a lowered maxLength', { [`${newKey} properties name maxLength`]: 40 }, [
    'POST /keys request: maxLength of field name changed from 60 to 40',
  ]);
  rejects(
    'a new bound',
    { [`${newKey} properties name maxLength`]: 40 },
    ['POST /keys request: maxLength of field name changed from none to 40'],
    { [`${newKey} properties name maxLength`]: undefined },
  );
  rejects('an added pattern', { [`${newKey} properties name pattern`]: '^a' }, [
    'POST /keys request: pattern of field name changed from none to ^a',
  ]);
  rejects('a changed pattern', { [`${entities} parameters 2 schema pattern`]: '^a' }, [
    'GET /entities request: pattern of query parameter q changed from ^\\S to ^a',
  ]);
  rejects('an added format', { [`${newKey} properties name format`]: 'email' }, [
    'POST /keys request: format of field name changed from none to email',
  ]);
  rejects(
    'a bound added by allOf',
    { [`${newKey} properties name`]: { allOf: [{ type: 'string', minLength: 1, maxLength: 60 }, { maxLength: 9 }] } },
    ['POST /keys request: maxLength of field name changed from 60 to 9'],
  );
  rejects('unlisted fields that are forbidden now', { [`${newKey} additionalProperties`]: false }, [
    'POST /keys request: body no longer accepts other fields',
  ]);
});

describe('credentials', () => {
  allows('one more accepted credential', { [`${entities} security 2`]: { session: [] } });
  allows('no credentials', { [`${entities} security`]: [] });
  allows('an empty requirement instead of none', { [`${plans} security`]: [{}] });

  rejects('credentials where none were needed', { [`${plans} security`]: [{ headerKey: [] }] }, [
    'GET /plans request: credentials are now required',
  ]);
  rejects('credentials required by default', { security: [{ headerKey: [] }] }, [
    'GET /plans request: credentials are now required',
    'DELETE /plans request: credentials are now required',
    'POST /keys request: credentials are now required',
  ]);
  rejects('a removed scheme', { [`${entities} security`]: [{ headerKey: [] }] }, [
    'GET /entities request: bearerKey (http bearer) is no longer accepted',
  ]);
  rejects('a second required credential', { [`${entities} security 1 headerKey`]: [] }, [
    'GET /entities request: bearerKey (http bearer) is no longer accepted',
  ]);
  rejects('a credential sent in another header', { 'components securitySchemes headerKey name': 'X-Key' }, [
    'GET /entities request: headerKey (apiKey header X-API-Key) is no longer accepted',
  ]);
});
