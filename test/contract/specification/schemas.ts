/** The contract's schemas, as plain JSON Schema, that the tests hold against the specification. */
import type { JsonSchema } from '../../../src/contract/endpoint.ts';
import * as table from '../../../src/contract/endpoints/index.ts';
import { asJson } from './fields.ts';

const endpoints = { ...table };
export const body = (name: keyof typeof endpoints) => asJson(endpoints[name].body);
export const answer = (name: keyof typeof endpoints) => asJson(endpoints[name].response.schema);
export const item = (schema: JsonSchema): JsonSchema => schema.items ?? {};
