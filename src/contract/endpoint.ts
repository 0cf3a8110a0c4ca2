/** Defines the type of an endpoint: everything that the client, the service and the documents derive from it. */
import type { TObject, TProperties, TSchema } from 'typebox';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Paging of a list: by page number (an array) or by cursor (`{length, entries, nextId}`). */
export type Paging = 'page' | 'cursor';

/**
 * The rate limit: 5 requests per 10 s for the deprecated listing, 600 per 60 s for others. Agents of a private location share a
 * key and send requests for each run, so theirs is higher.
 */
export type Rate = 'standard' | 'deprecated-listing' | 'agent';

export interface EndpointDefinition<
  P extends TProperties = TProperties,
  Q extends TProperties = TProperties,
  B extends TSchema | undefined = TSchema | undefined,
  R extends TSchema | undefined = TSchema | undefined,
> {
  /** Operation ID, by which handlers and clients refer to it. */
  readonly name: string;
  readonly method: Method;
  /** Path with `{placeholders}` in the spelling of the specification. */
  readonly path: string;
  /** One-line summary for the documents. */
  readonly summary: string;
  /** Resource, for grouping in the documents. */
  readonly resource: string;
  /** Row in the table of the specification (1 to 20); absent for other endpoints. */
  readonly number?: number;
  readonly params: TObject<P>;
  readonly query: TObject<Q>;
  readonly body: B;
  readonly response: { readonly status: 200 | 201 | 204; readonly schema: R };
  /** Whether a client may repeat a request whose outcome is unknown. */
  readonly safeToRetry: boolean;
  readonly paging?: Paging;
  readonly rate?: Rate;
  /** Whether a client sends `{}`, because deployments require a body. */
  readonly sendsEmptyBody?: boolean;
  /** Media type of a response that is a file instead of JSON; a wildcard if the handler decides. */
  readonly file?: '*/*' | 'text/event-stream' | 'text/plain';
  /** Maximum body size in bytes, if larger than the default of the service. */
  readonly bodyBytes?: number;
  /** Maximum number of values in the body; default: that of the service. */
  readonly bodyValues?: number;
  /** Maximum size in bytes of a binary body (application/octet-stream). */
  readonly uploadBytes?: number;
  /** Kind of key that it requires: of an account by default, or of an agent of a private location. */
  readonly caller?: 'agent';
  /** Replacement of a deprecated endpoint. */
  readonly deprecated?: string;
  /** Rules between fields, which a schema cannot express. */
  readonly rules?: readonly RuleName[];
}

/** Names of the rules between fields: functions in rules.ts. */
export type RuleName =
  | 'frequencyOffset'
  | 'nameServerWithPort'
  | 'assertionTargets'
  | 'sendableTexts'
  | 'heartbeatTimes'
  | 'scriptPaths'
  | 'scriptPackages'
  | 'suiteAlone'
  | 'resultWindow'
  | 'maintenanceWindow'
  | 'alertChannelConfig'
  | 'channelTypeNeedsConfig';

/** One problem of a request, found by a schema or a rule. */
export interface Violation {
  readonly in: 'path' | 'query' | 'body';
  /** Names and indexes from the root to the field. */
  readonly path: readonly (string | number)[];
  /** JSON Schema keyword or name of the rule. */
  readonly keyword: string;
  /** The rule as a predicate: `must be at least 1`. */
  readonly message: string;
  readonly allowed?: readonly (string | number | boolean | null)[];
  readonly nearest?: string;
  /** The item of a list that contains the field, as its sender names it: `check "home"`. */
  readonly owner?: string;
  /** `gaps`: only docs/gaps.md forbids it; the client warns, the service rejects. */
  readonly origin: 'specification' | 'gaps';
}

/** An error of the code that ajv compiles. */
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

/** An endpoint after the build: schemas as JSON, validators as code, without response schemas. */
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

/** A rule between fields: returns the violations of a request. `now`: milliseconds since the epoch. */
export type Rule = (input: RequestParts, now: number) => readonly Violation[];
export interface RequestParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What assertions of a check type can examine. */
export interface AssertionSource {
  /** Description beside the value in a list. */
  readonly meaning: string;
  /** Description in `sonde help assertions`. */
  readonly help?: string;
  /** Example of a property; absent if the source has no properties. */
  readonly property?: string;
}

/** Enumerations whose values have names for people (value-names.ts). */
export type ValueNames = 'frequencies' | 'locations' | 'recordTypes' | 'sources';

/**
 * How an answer represents a secret. `omitted`: without the field. `emptied`: with an empty text. `masked`: with its mask
 * (mask-credential.ts). `once`: in full, but only the answer that creates it. `shown`: in full, because clients need it, such as
 * the URL of a heartbeat. If the object around it can say `locked` or `secret`, only objects that say so hide the field.
 */
export type SecretKind = 'omitted' | 'emptied' | 'masked' | 'once' | 'shown';

/** The subset of JSON Schema that the contract uses. */
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
  /** Answers never contain the value. Each secret of a request has it, unless its kind is `shown`. */
  readonly writeOnly?: boolean;
  readonly 'x-secret'?: SecretKind;
  readonly 'x-gaps'?: readonly string[];
  readonly 'x-unit'?: string;
  readonly 'x-values'?: ValueNames;
  readonly 'x-instead'?: string;
  readonly 'x-null'?: string;
  readonly 'x-unset'?: string | number;
  readonly 'x-absent'?: unknown;
  readonly 'x-alias'?: string;
  readonly 'x-sample'?: true;
  readonly 'x-sent'?: unknown;
  readonly 'x-set'?: true;
  readonly 'x-example'?: string;
}

/** The secrets of the body and of the answer of an endpoint, as schemas that contain nothing else. */
export interface EndpointSecrets {
  readonly method: Method;
  readonly path: string;
  readonly body?: JsonSchema;
  readonly answer?: JsonSchema;
}

/** Types of the request and response of an endpoint, generated from its schemas. */
export interface EndpointTypes {
  readonly params: object;
  readonly query: object;
  readonly body: unknown;
  readonly response: unknown;
}

/** An `Endpoint` with its types. */
export interface TypedEndpoint<T extends EndpointTypes> extends Endpoint {
  /** Absent at run time; only carries the types. */
  readonly types?: T;
}

export type ParamsOf<E> = E extends TypedEndpoint<infer T> ? T['params'] : never;
export type QueryOf<E> = E extends TypedEndpoint<infer T> ? T['query'] : never;
export type BodyOf<E> = E extends TypedEndpoint<infer T> ? T['body'] : never;
export type ResponseOf<E> = E extends TypedEndpoint<infer T> ? T['response'] : never;

/** Input of a call: only the parts that the endpoint has. */
export type Input<E> = (keyof ParamsOf<E> extends never
  ? { readonly params?: Record<string, never> }
  : { readonly params: ParamsOf<E> }) & { readonly query?: QueryOf<E> } & (BodyOf<E> extends undefined
    ? { readonly body?: undefined }
    : { readonly body: BodyOf<E> }) & {
    /** For an endpoint with a binary body. */
    readonly upload?: Uint8Array;
  };
