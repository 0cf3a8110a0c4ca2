/** Asks the service why results failed, through the client: what it tells of results, and of the errors of a check. */
import { isObject, type JsonObject } from '../../base/object.ts';
import type { Client } from '../../client/index.ts';
import { listCheckResults, listErrorGroups } from '../../contract/index.ts';
import { durationOf, textOf } from '../format/session.ts';

/** Where in time the results lie, in UNIX seconds: from inclusive, to exclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** What the API tells about one check. Both give bodies as they came, and reject as the client does. */
export interface ErrorSources {
  readonly results: (checkId: string, window: Window | undefined, signal: AbortSignal) => Promise<unknown>;
  readonly errorGroups: (checkId: string, signal: AbortSignal) => Promise<unknown>;
}

/** The most that one page holds. */
const PAGE = 100;

/** One attempt each: an explanation is not worth waiting for. */
export function errorSources(client: Client): ErrorSources {
  return {
    async results(checkId, window, signal) {
      const query = { limit: PAGE, ...window };
      return (await client.call(listCheckResults, { params: { checkId }, query }, { signal, retry: false }))
        .body;
    },
    async errorGroups(checkId, signal) {
      const query = { limit: PAGE };
      return (await client.call(listErrorGroups, { params: { checkId }, query }, { signal, retry: false }))
        .body;
    },
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const objectsIn = (value: unknown): readonly JsonObject[] => listOf(value).filter(isObject);
const textsIn = (value: unknown): readonly string[] => listOf(value).flatMap((each) => textOf(each) ?? []);

/** What is told of one result. */
export interface ToldResult {
  readonly id: string;
  readonly message: string | undefined;
  /** Milliseconds. */
  readonly responseTime: number | undefined;
  readonly errorGroupIds: readonly string[];
}

/** The results of a page, whatever else it may hold. */
export function readResults(body: unknown): readonly ToldResult[] {
  return objectsIn(isObject(body) ? body.entries : body).flatMap((entry) => {
    const id = textOf(entry.id);
    if (id === undefined) return [];
    return {
      id,
      message: messageIn(entry.errors) ?? firstOf(RECORDS, (name) => recordMessage(entry[name])),
      responseTime: durationOf(entry.responseTime),
      errorGroupIds: textsIn(entry.errorGroupIds),
    };
  });
}

/** What a result of each type of check carries besides. */
const RECORDS = [
  'dnsCheckResult',
  'apiCheckResult',
  'browserCheckResult',
  'multiStepCheckResult',
  'playwrightCheckResult',
  'agenticCheckResult',
] as const;

function firstOf<T, U>(values: readonly T[], read: (value: T) => U | undefined): U | undefined {
  for (const value of values) {
    const found = read(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The first message: errors are texts or have one. */
const messageIn = (errors: unknown): string | undefined =>
  firstOf(listOf(errors), (error) => textOf(isObject(error) ? error.message : error));

/** What a record tells went wrong: the request itself, the script, or an assertion that did not hold. */
function recordMessage(record: unknown): string | undefined {
  if (!isObject(record)) return undefined;
  return (
    messageIn([record.requestError]) ??
    messageIn(record.errors) ??
    messageIn([record.error]) ??
    firstOf(objectsIn(record.assertions), assertionMessage)
  );
}

function assertionMessage(assertion: JsonObject): string | undefined {
  if (assertion.passed !== false) return messageIn([assertion.error]);
  const { source, property, comparison, target, actual } = assertion;
  const rule = [source, property, comparison, target].flatMap((part) =>
    typeof part === 'number' ? String(part) : (textOf(part) ?? []),
  );
  const got = typeof actual === 'string' || typeof actual === 'number' ? `, got ${actual}` : '';
  return (
    messageIn([assertion.message, assertion.error]) ??
    (rule.length > 0 ? `${rule.join(' ')}${got}` : undefined)
  );
}

/** What is told of one error group. */
export interface ToldGroup {
  readonly id: string;
  readonly checkId: string | undefined;
  readonly message: string;
  readonly lastSeen: unknown;
}

/** The error groups of a list, whatever else it may hold. */
export function readErrorGroups(body: unknown): readonly ToldGroup[] {
  return objectsIn(body).flatMap((group) => {
    const id = textOf(group.id);
    const message = textOf(group.rawErrorMessage) ?? textOf(group.cleanedErrorMessage);
    if (id === undefined || message === undefined) return [];
    return { id, checkId: textOf(group.checkId), message, lastSeen: group.lastSeen };
  });
}
