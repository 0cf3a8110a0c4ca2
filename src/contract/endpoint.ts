/** An endpoint as a value: all that a client, the service and the documents need to know of it. */
import type { TObject, TProperties, TSchema } from 'typebox';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How a list is paged: by number (a bare array) or by cursor (`{length, entries, nextId}`). */
export type Paging = 'page' | 'cursor';

/**
 * Which rate applies: 5 requests per 10 s to the deprecated listing, 600 per 60 s elsewhere; the agents of a private location
 * share a key, and ask and report for each run.
 */
export type Rate = 'standard' | 'deprecated-listing' | 'agent';

export interface EndpointDefinition<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema | undefined = TSchema | undefined,
  R extends TSchema | undefined = TSchema | undefined,
> {
  /** Its operation id: what a handler and a client call it by. */
  readonly name: string;
  readonly method: Method;
  /** With `{placeholders}` as the specification writes them. */
  readonly path: string;
  /** One line for the documents. */
  readonly summary: string;
  /** The resource it belongs to, for grouping in documents. */
  readonly resource: string;
  /** The row of the specification's table (1 to 20), absent for neighbours. */
  readonly number?: number;
  readonly params: TObject<P>;
  readonly query: TObject<Q>;
  readonly body: B;
  readonly response: { readonly status: 200 | 201 | 204; readonly schema: R };
  /** Whether the same request may be sent again when nobody knows what became of it. */
  readonly safeToRetry: boolean;
  readonly paging?: Paging;
  readonly rate?: Rate;
  /** The answer is a file, of whatever type, instead of JSON. */
  readonly file?: boolean;
  /** How large its body may be, where that is more than the service takes of others. */
  readonly bodyBytes?: number;
  /** What is sent is a file or a part of one (application/octet-stream), of at most so many bytes. */
  readonly uploadBytes?: number;
  /** Who asks, by the key that opens it; left out: an account. `agent`: what runs the checks of a private location. */
  readonly caller?: 'agent';
  /** What to use instead. */
  readonly deprecated?: string;
  /** The rules between fields that a schema can't say. */
  readonly rules?: readonly RuleName[];
}

/** The rules between fields, by the names of their functions in rules.ts. */
export type RuleName =
  | 'frequencyOffset'
  | 'nameServerWithPort'
  | 'assertionTargets'
  | 'heartbeatTimes'
  | 'scriptPaths'
  | 'suiteAlone'
  | 'resultWindow'
  | 'maintenanceWindow'
  | 'reachablePage'
  | 'alertChannelConfig'
  | 'newChannelConfig';

/** One problem of a request, as the compiled schema or a rule found it. */
export interface Violation {
  readonly in: 'path' | 'query' | 'body';
  /** Names and indexes from the root to the place. */
  readonly path: readonly (string | number)[];
  /** The JSON Schema keyword or the rule's name. */
  readonly keyword: string;
  /** The rule as a sentence without subject: `must be at least 1`. */
  readonly message: string;
  readonly allowed?: readonly (string | number | boolean | null)[];
  readonly nearest?: string;
  /** `gaps`: only our reading of the specification's gaps forbids it; the client warns, the service refuses. */
  readonly origin: 'specification' | 'gaps';
}

/** What ajv's compiled code leaves behind. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** An endpoint as the build leaves it: schemas as plain JSON, validators as code, response schemas left out. */
export interface Endpoint
  extends Omit<EndpointDefinition, 'params' | 'query' | 'body' | 'response' | 'rules'> {
  readonly params: JsonSchema;
  readonly query: JsonSchema;
  readonly body: JsonSchema | undefined;
  readonly success: 200 | 201 | 204;
  readonly validate: {
    readonly params: Validator;
    readonly query: Validator;
    readonly body: Validator | undefined;
  };
  readonly rules: readonly Rule[];
}

/** A rule between fields: what is wrong with this request. `now`: milliseconds since the epoch. */
export type Rule = (input: RequestParts, now: number) => readonly Violation[];
export interface RequestParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The enumerations whose values people call by names: value-names.ts has them. */
export type ValueNames = 'frequencies' | 'locations' | 'recordTypes' | 'sources';

/** JSON Schema as the contract uses it. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly deprecated?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly writeOnly?: boolean;
  readonly 'x-gaps'?: readonly string[];
  readonly 'x-unit'?: string;
  readonly 'x-values'?: ValueNames;
  readonly 'x-instead'?: string;
  readonly 'x-null'?: string;
}

/** What an endpoint is asked with and answers, as the build wrote it from the schemas. */
export interface EndpointTypes {
  readonly params: object;
  readonly query: object;
  readonly body: unknown;
  readonly response: unknown;
}

/** An `Endpoint` that remembers its types. */
export interface TypedEndpoint<T extends EndpointTypes> extends Endpoint {
  /** Never there at run time: it only carries the types. */
  readonly types?: T;
}

export type ParamsOf<E> = E extends TypedEndpoint<infer T> ? T['params'] : never;
export type QueryOf<E> = E extends TypedEndpoint<infer T> ? T['query'] : never;
export type BodyOf<E> = E extends TypedEndpoint<infer T> ? T['body'] : never;
export type ResponseOf<E> = E extends TypedEndpoint<infer T> ? T['response'] : never;

/** What a call of the endpoint is given: only what it has is asked for. */
export type Input<E> = (keyof ParamsOf<E> extends never
  ? { readonly params?: Record<string, never> }
  : { readonly params: ParamsOf<E> }) & { readonly query?: QueryOf<E> } & (BodyOf<E> extends undefined
    ? { readonly body?: undefined }
    : { readonly body: BodyOf<E> }) & {
    /** For an endpoint that takes a file. */
    readonly upload?: Uint8Array;
  };
