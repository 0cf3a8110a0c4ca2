/** The contract as everyone outside this folder sees it: endpoints as values, and their types. */
export type {
  BodyOf,
  Endpoint,
  Input,
  JsonSchema,
  Method,
  ParamsOf,
  QueryOf,
  RequestParts,
  ResponseOf,
  TypedEndpoint,
  Violation,
} from './endpoint.ts';
export * from './generated/endpoints.js';
