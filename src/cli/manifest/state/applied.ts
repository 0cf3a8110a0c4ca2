/** Converts bodies to the form in which a project's state stores them: without secrets and long texts. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { HIDDEN, SECRET_HEADER } from '../../../client/redact.ts';
import { findDifferences, valueAt } from './compare.ts';
import type { OwnedResource } from './project-state.ts';

/** Longer texts are stored as hashes. */
const MAX_TEXT = 200;

const isSecretPair = ({ key }: JsonObject): boolean => typeof key === 'string' && SECRET_HEADER.test(key);

/** Returns a value as the state stores it. `secrets`: values that no output may contain. */
export function toStored(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => toStored(item, secrets));
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        name === 'value' && isSecretPair(value) ? HIDDEN : toStored(item, secrets),
      ]),
    );
  }
  if (typeof value !== 'string') return value;
  if (secrets.some((secret) => secret !== '' && value.includes(secret))) return HIDDEN;
  return value.length > MAX_TEXT ? `sha256:${createHash('sha256').update(value).digest('hex')}` : value;
}

/** Whether a stored value lacks a secret, so that it cannot be compared. */
export const lacksSecret = (stored: unknown): boolean =>
  Array.isArray(stored)
    ? stored.some(lacksSecret)
    : isObject(stored)
      ? Object.values(stored).some(lacksSecret)
      : stored === HIDDEN;

/**
 * Returns what the state stores of an apply: what the API answered, and where that differs from what was sent. A value that is as
 * `before` the request was not rewritten, but ignored: the change stays pending.
 */
export function describeApplied(
  {
    sent,
    answered,
    before,
  }: Readonly<Record<'sent' | 'answered', JsonObject>> & { readonly before?: JsonObject | undefined },
  secrets: readonly string[],
): Pick<OwnedResource, 'applied' | 'rewritten'> {
  const rewritten = findDifferences(answered, sent).flatMap(({ path, before: shown, after }) => {
    const isIgnored = before !== undefined && isDeepStrictEqual(valueAt(before, path), shown);
    return isIgnored ? [] : [{ path, ...(after === undefined ? {} : { sent: toStored(after, secrets) }) }];
  });
  return {
    applied: toStored(answered, secrets) as JsonObject,
    ...(rewritten.length === 0 ? {} : { rewritten }),
  };
}
