/** The contract's schemas, as plain JSON Schema, that the tests hold against the specification. */
import type { EndpointDefinition, JsonSchema } from '../../../src/contract/endpoint.ts';
import { table } from '../../../src/contract/endpoints/index.ts';
import { asJson } from './fields.ts';

const endpoints: Readonly<Record<string, EndpointDefinition>> = table;
export const body = (name: string) => asJson(endpoints[name]?.body);
export const answer = (name: string) => asJson(endpoints[name]?.response.schema);
export const item = (schema: JsonSchema): JsonSchema => schema.items ?? {};
