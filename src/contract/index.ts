/** Exports the contract: endpoints as values, and their types. */
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
