/** What a 404 says is missing: the endpoint, the resource, or one of both. */
import { expect, it } from 'vitest';
import { parseErrorBody } from '../../src/client/error-body.ts';
import { findAbsence } from '../../src/client/missing-endpoint.ts';

const GET_ONE = { endpoint: 'GET /v1/checks/{id}', isSpecified: false };
const LIST = { endpoint: 'GET /v1/checks', isSpecified: false };
const START = { endpoint: 'POST /v2/check-sessions/trigger', isSpecified: false };
const SPECIFIED = { endpoint: 'DELETE /v1/snippets/{id}', isSpecified: true };

it.each([
  ['Fastify', GET_ONE, 404, '{"message":"Route GET:/v1/checks/1 not found","error":"Not Found"}', 'endpoint'],
  ['Fastify', SPECIFIED, 404, '{"message":"Route DELETE:/v1/snippets/1 not found"}', 'endpoint'],
  ['Express', GET_ONE, 404, '<!DOCTYPE html><pre>Cannot GET /v1/checks/1</pre>', 'endpoint'],
  [
    'Nest',
    GET_ONE,
    404,
    '{"statusCode":404,"message":"Cannot GET /v1/checks/1","error":"Not Found"}',
    'endpoint',
  ],
  ['Kong', GET_ONE, 404, '{"message":"no Route matched with those values"}', 'endpoint'],
  ['Go', GET_ONE, 404, '404 page not found', 'endpoint'],
  ['nginx', GET_ONE, 404, '<html><title>404 Not Found</title></html>', 'endpoint'],
  ['no body', GET_ONE, 404, '', 'endpoint'],
  ['this service', GET_ONE, 404, '{"statusCode":404,"message":"Route not found"}', 'endpoint'],
  ['another method', SPECIFIED, 405, '{"message":"Method Not Allowed"}', 'endpoint'],
  ['a stub', GET_ONE, 501, '', 'endpoint'],
  [
    'Hapi, of an item',
    GET_ONE,
    404,
    '{"statusCode":404,"error":"Not Found","message":"Not Found"}',
    'either',
  ],
  [
    'Hapi, of a collection',
    START,
    404,
    '{"statusCode":404,"error":"Not Found","message":"Not Found"}',
    'endpoint',
  ],
  ['Hapi, of the specification', SPECIFIED, 404, '{"error":"Not Found","message":"Not Found"}', 'resource'],
  ['a page before the specification', SPECIFIED, 404, '<html><title>404</title></html>', 'resource'],
  ['a reason', GET_ONE, 404, '{"message":"Check 1 not found"}', 'resource'],
  ['a reason to start nothing', START, 404, '{"message":"No matching checks were found"}', 'resource'],
  ['the route of an item', LIST, 404, '{"message":"Check checks not found"}', 'endpoint'],
  ['another status', GET_ONE, 403, '{"message":"Not Found"}', undefined],
] as const)('%s', (_name, request, status, text, absence) => {
  expect(findAbsence({ ...request, status }, parseErrorBody(text))).toBe(absence);
});
