/** Converts the payloads of a project's resources, as its clients publish them, to the bodies of the API. */

import { isObject, type JsonObject } from '../../../base/object.ts';
import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { Violation } from '../../../contract/index.ts';
import { assertValid, violation } from '../api/problem.ts';

export type Body = JsonObject;

/** The resources outside the project that a payload refers to. */
export interface PayloadContext {
  /** The files that the scripts of the project import. */
  readonly sharedFiles: readonly { readonly path: string; readonly content: string }[];
  /** The subscriptions of a check or group. */
  readonly subscriptions: readonly { readonly alertChannelId: unknown; readonly activated: unknown }[];
  /** The slugs of the private locations that are assigned to a check or group. */
  readonly privateLocations: readonly string[];
}

/** Returns the fields without some of them. */
const omit = (fields: Body, names: readonly string[]): Body =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Fields that clients send for every check, and that heartbeats do not have, because nothing runs. */
const FIELDS_OF_RUNS = [
  'doubleCheck',
  'frequency',
  'frequencyOffset',
  'locations',
  'retryStrategy',
  'runParallel',
  'runtimeId',
  'shouldFail',
];

/** Fields of published payloads that this service does not offer, with what to do instead. */
const NOT_OFFERED: Readonly<Record<string, string>> = {
  playwrightConfig: 'is not supported: set the options in the test, with test.use()',
  snapshots: 'are not supported: compare values instead of screenshots',
  setupScriptDependencies: 'are not supported: put the imported code into the setup script',
  tearDownScriptDependencies: 'are not supported: put the imported code into the teardown script',
};
/** Fields that the service ignores, because they change neither the run of a check nor a dashboard. */
const WITHOUT_EFFECT = ['intent', 'setupScriptPath', 'tearDownScriptPath', 'customCSS'];

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);

/** Returns the payload without fields that have no meaning here. Throws `Problem` 400 for one that has an effect elsewhere. */
function withOfferedFields(payload: Body): Body {
  const refused = Object.keys(NOT_OFFERED).filter((name) => !isEmpty(payload[name]));
  assertValid(refused.map((name) => violation('body', [name], 'notOffered', NOT_OFFERED[name] ?? '')));
  return omit(payload, [...Object.keys(NOT_OFFERED), ...WITHOUT_EFFECT]);
}

/** Returns the fields with `onlyOn` as a list: published payloads also have one kind of failure as a text. */
function withRetryKinds(fields: Body): Body {
  const { retryStrategy } = fields;
  if (!isObject(retryStrategy) || typeof retryStrategy.onlyOn !== 'string') return fields;
  return { ...fields, retryStrategy: { ...retryStrategy, onlyOn: [retryStrategy.onlyOn] } };
}

const withLinks = (fields: Body, { subscriptions, privateLocations }: PayloadContext): Body => ({
  ...fields,
  alertChannelSubscriptions: subscriptions,
  ...(privateLocations.length > 0 ? { privateLocations } : {}),
});

/** Returns the files that a script imports: in a payload they are indexes of the shared files. */
function toDependencies(indexes: unknown, { sharedFiles }: PayloadContext): unknown {
  if (!Array.isArray(indexes)) return indexes;
  const violations: Violation[] = [];
  const files = indexes.map((item: unknown, index) => {
    if (typeof item !== 'number') return item;
    const file = sharedFiles[item];
    if (file === undefined)
      violations.push(
        violation('body', ['dependencies', index], 'reference', 'does not match any file in sharedFiles'),
      );
    return file;
  });
  assertValid(violations);
  return files;
}

/** Returns the body of a check. It keeps `checkType`, by which the project finds the endpoint. */
export function toCheckBody(payload: Body, context: PayloadContext): Body {
  const { checkType, dependencies } = payload;
  const fields = withRetryKinds(withLinks(withOfferedFields(payload), context));
  if (checkType === 'HEARTBEAT') return omit(fields, FIELDS_OF_RUNS);
  return {
    ...(isCheckType(checkType) ? CHECK_TYPES[checkType].fill : {}),
    ...fields,
    ...(dependencies === undefined ? {} : { dependencies: toDependencies(dependencies, context) }),
  };
}

export const toGroupBody = (payload: Body, context: PayloadContext): Body =>
  omit(withRetryKinds(withLinks(payload, context)), ['v']);

/** Returns the body of a status page. In a payload, the services of a card are references. */
export function toPageBody(payload: Body): Body {
  const { cards } = payload;
  if (!Array.isArray(cards)) return payload;
  return {
    ...payload,
    cards: cards.map((card: unknown) =>
      isObject(card) && Array.isArray(card.services)
        ? {
            ...card,
            services: card.services.map((service: unknown) =>
              isObject(service) ? service : { id: service },
            ),
          }
        : card,
    ),
  };
}

/** Returns the body of a maintenance window. A window that does not repeat has no unit in a payload. */
export const toWindowBody = (payload: Body): Body => ({ repeatUnit: null, ...payload });

export const toDashboardBody = (payload: Body): Body => withOfferedFields(payload);
