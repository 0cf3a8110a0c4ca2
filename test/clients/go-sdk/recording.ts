/** Requests of the Go SDK, with placeholders instead of the IDs of one run. */
import type { GoSdkWorld } from './world.ts';

export interface RecordedRequest {
  readonly method: string;
  /** `{3}` is the ID that the answer to request 3 has; `{checkId}` is an ID of the world. */
  readonly path: string;
  readonly body?: unknown;
  /** An uploaded file, in Base64. */
  readonly file?: string;
  readonly status: number;
}

type Request = Omit<RecordedRequest, 'status'>;

/** Returns the ID in the answer to a POST; undefined if it has none. */
function idIn(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  const { id, dashboardId, key } = JSON.parse(text) as Readonly<Record<string, string | number | undefined>>;
  const found = dashboardId ?? id ?? key;
  return found === undefined ? undefined : String(found);
}

/** Returns functions that replace the IDs of one run by placeholders, and the reverse. */
export function createIds({ accountId, checkId, resultId, suiteId }: GoSdkWorld) {
  const ids = new Map<string, string>(
    Object.entries({ accountId, checkId, resultId, suiteId }).map(([name, id]) => [`{${name}}`, id]),
  );
  /** Replaces path segments, and UUIDs in bodies: the numbers in bodies are fields that the service ignores. */
  const replace = <R extends Request>(request: R, pairs: readonly (readonly [string, string])[]): R => {
    const path = request.path.replaceAll(
      /[^/?]+/g,
      (segment) => pairs.find(([from]) => from === segment)?.[1] ?? segment,
    );
    let body = JSON.stringify(request.body);
    for (const [from, to] of pairs)
      if (from.length > 8 || from.startsWith('{')) body = body?.replaceAll(`"${from}"`, `"${to}"`);
    return { ...request, path, ...(body === undefined ? {} : { body: JSON.parse(body) as unknown }) };
  };
  return {
    /** Learns the ID in the answer to the request with this index. */
    learn(index: number, method: string, answer: string): void {
      const id = method === 'POST' ? idIn(answer) : undefined;
      if (id !== undefined) ids.set(`{${index}}`, id);
    },
    /** Puts placeholders in the place of IDs; the newest ID wins, because deleted numbers may be used again. */
    generalize: <R extends Request>(request: R): R =>
      replace(
        request,
        [...ids].reverse().map(([placeholder, id]) => [id, placeholder] as const),
      ),
    /** Puts the IDs of this run in the place of placeholders. */
    fill: <R extends Request>(request: R): R => replace(request, [...ids]),
  };
}
