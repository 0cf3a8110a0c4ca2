/** Builds the rows of the endpoint table, with defaults for common fields. */
import type { TObject, TProperties, TSchema } from 'typebox';
import type { EndpointDefinition, Method } from '../endpoint.ts';
import { allOptional, boolean, closed, integer, number, string, Type } from '../schema.ts';

type None = Record<never, never>;
type Written<P extends TProperties, Q extends TProperties, B, R> = Omit<
  EndpointDefinition,
  'params' | 'query' | 'body' | 'response' | 'safeToRetry'
> & {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly response?: R;
  readonly status?: 200 | 201 | 204;
  readonly safeToRetry?: boolean;
};

const IDEMPOTENT: readonly Method[] = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Defines an endpoint. The status is 204 without a response body, otherwise 200; every method except POST is repeatable. */
export function define<
  const N extends string,
  P extends TProperties = None,
  Q extends TProperties = None,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
>(row: Written<P, Q, B, R> & { readonly name: N }): EndpointDefinition<P, Q, B, R> & { readonly name: N } {
  const { params, query, body, response, status, safeToRetry, ...rest } = row;
  return {
    ...rest,
    params: closed((params ?? {}) as P) as TObject<P>,
    query: closed((query ?? {}) as Q) as TObject<Q>,
    body: body as B,
    response: { status: status ?? (response ? 200 : 204), schema: response as R },
    safeToRetry: safeToRetry ?? IDEMPOTENT.includes(row.method),
  };
}

/** Returns an endpoint at another path, with the same request and response. */
export function aliasOf<E extends EndpointDefinition, const N extends string>(
  { number: _, ...endpoint }: E,
  { name, path }: { readonly name: N; readonly path: string },
) {
  return { ...endpoint, name, path, summary: `${endpoint.summary}; the same as ${endpoint.path}` };
}

/** Whether a new check is subscribed to all alert channels. */
export const autoAssignAlerts = allOptional({
  autoAssignAlerts: boolean('Whether a new check is subscribed to all existing alert channels', {
    default: true,
  }),
});

/** Whether to delete a resource that others use. */
export const forceQuery = allOptional({
  force: boolean('Whether to delete the resource even if it is in use, and remove all references to it', {
    default: false,
  }),
});

/** Parameters `limit` and `page` of lists (specification, rule 2 of the endpoints). */
export const pageQuery = allOptional({
  limit: integer('Maximum number of items per page', { minimum: 1, maximum: 100, default: 10 }),
  page: number('Page number', { minimum: 1, multipleOf: 1, default: 1, 'x-gaps': ['minimum', 'multipleOf'] }),
});

/** Parameters `limit` and `cursor` of lists with cursors. */
export const cursorQuery = allOptional({
  limit: integer('Maximum number of items per page', { minimum: 1, maximum: 100, default: 20 }),
  nextId: string('Cursor of the page, from nextId of the previous page'),
});

/** A page of a list with cursors. */
export const cursorPage = <T extends TSchema>(items: T) =>
  Type.Object({
    length: number('Number of entries on this page'),
    entries: Type.Array(items),
    nextId: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'Cursor of the next page; null: last page',
    }),
  });
