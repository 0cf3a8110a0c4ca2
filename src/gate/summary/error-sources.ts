/** Requests results and error groups of a check, and reads the error messages in them. */

import { isObject, type JsonObject } from '../../base/object.ts';
import type { Client } from '../../client/index.ts';
import { listCheckResults, listErrorGroups } from '../../contract/index.ts';
import { degradationOf, durationOf, RECORDS } from '../format/session.ts';
import { textOf } from '../words/text.ts';

/** A time range in UNIX seconds: `from` inclusive, `to` exclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** Requests about one check. Both return the body as received, and reject as the client does. */
export interface ErrorSources {
  readonly results: (checkId: string, window: Window | undefined, signal: AbortSignal) => Promise<unknown>;
  readonly errorGroups: (checkId: string, signal: AbortSignal) => Promise<unknown>;
}

/** Maximum page size of the API. */
const PAGE = 100;

/** Sends one attempt per request: an explanation is not worth a retry. */
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

/** The parts of a result that explain it. */
export interface ResultSummary {
  readonly id: string;
  readonly message: string | undefined;
  /** Milliseconds. */
  readonly responseTime: number | undefined;
  readonly errorGroupIds: readonly string[];
}

/** Reads the results of a page, and ignores everything else in it. */
export function readResults(body: unknown): readonly ResultSummary[] {
  return objectsIn(isObject(body) ? body.entries : body).flatMap((entry) => {
    const id = textOf(entry.id);
    if (id === undefined) return [];
    return {
      id,
      message:
        messageIn(entry.errors) ??
        firstOf(RECORDS, (name) => recordMessage(entry[name])) ??
        degradationOf(entry),
      responseTime: durationOf(entry.responseTime),
      errorGroupIds: textsIn(entry.errorGroupIds),
    };
  });
}

function firstOf<T, U>(values: readonly T[], read: (value: T) => U | undefined): U | undefined {
  for (const value of values) {
    const found = read(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the first message; errors are strings or have a message. */
const messageIn = (errors: unknown): string | undefined =>
  firstOf(listOf(errors), (error) => textOf(isObject(error) ? error.message : error));

/** Returns the error of a type-specific record: of the request, the script, or a failed assertion. */
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

/** The parts of an error group that explain a result. */
export interface ErrorGroupSummary {
  readonly id: string;
  readonly checkId: string | undefined;
  readonly message: string;
  readonly lastSeen: unknown;
}

/** Reads the error groups of a list, and ignores everything else in it. */
export function readErrorGroups(body: unknown): readonly ErrorGroupSummary[] {
  return objectsIn(body).flatMap((group) => {
    const id = textOf(group.id);
    const message = textOf(group.rawErrorMessage) ?? textOf(group.cleanedErrorMessage);
    if (id === undefined || message === undefined) return [];
    return { id, checkId: textOf(group.checkId), message, lastSeen: group.lastSeen };
  });
}
