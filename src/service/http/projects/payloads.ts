/** Converts the payloads of a project's resources, as its clients publish them, to the bodies of the API. */

import { isObject, type JsonObject } from '../../../base/object.ts';
import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { Violation } from '../../../contract/index.ts';
import { assertValid, invalid, violation } from '../api/problem.ts';

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
  'playwrightConfig.use.contextOptions': 'are not supported: set the options in use',
  'playwrightConfig.use.launchOptions': 'are not supported: set them in the test, with test.use()',
  'playwrightConfig.use.proxy': 'is not supported: run the check in a location behind the proxy',
  'playwrightConfig.expect.toHaveScreenshot': 'is not supported: compare values instead of screenshots',
  'playwrightConfig.expect.toMatchSnapshot': 'is not supported: compare values instead of snapshots',
  snapshots: 'are not supported: compare values instead of screenshots',
  setupScriptDependencies: 'are not supported: put the imported code into the setup script',
  tearDownScriptDependencies: 'are not supported: put the imported code into the teardown script',
};
/** Fields that the service ignores, because they change neither the run of a check nor a page: pages have no scripts. */
const WITHOUT_EFFECT = ['intent', 'setupScriptPath', 'tearDownScriptPath', 'customCSS', 'googleAnalyticsTag'];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const valueAt = (value: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined ? value : isObject(value) ? valueAt(value[name], rest) : undefined;

/** Returns the fields without one at a path. */
function omitAt(fields: Body, [name = '', ...rest]: readonly string[]): Body {
  if (rest.length === 0) return omit(fields, [name]);
  const inner = fields[name];
  return isObject(inner) ? { ...fields, [name]: omitAt(inner, rest) } : fields;
}

/** Returns the payload without fields that have no meaning here. Throws `Problem` 400 for one that has an effect elsewhere. */
function withOfferedFields(payload: Body): Body {
  const rows = Object.entries(NOT_OFFERED).map(([name, message]) => ({ path: name.split('.'), message }));
  const refused = rows.filter(({ path }) => !isEmpty(valueAt(payload, path)));
  assertValid(refused.map(({ path, message }) => violation('body', path, 'notOffered', message)));
  return omit(
    rows.reduce((fields, { path }) => omitAt(fields, path), payload),
    WITHOUT_EFFECT,
  );
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

/** Fields of a published Playwright check that its archive or its commands repeat, and retries, which Playwright does itself. */
const WITHOUT_MEANING_FOR_SUITES = [
  ...['codeBundlePath', 'browsers', 'cacheHash', 'playwrightVersion'],
  ...['doubleCheck', 'retryStrategy'],
];

/** Returns the fields of a Playwright check. A published client uploads the archive, and names it by its path. */
const toSuiteFields = (fields: Body): Body => ({
  ...omit(fields, WITHOUT_MEANING_FOR_SUITES),
  codeBundleId: fields.codeBundlePath ?? fields.codeBundleId,
});

/** Throws `Problem` 400 for a field of a payload that has an effect elsewhere. */
function refuse(path: readonly string[], message: string): never {
  throw invalid([violation('body', path, 'notOffered', message)]);
}

/** Returns the body of an alert channel. Throws `Problem` 400 for one that this service cannot call. */
export function toChannelBody(payload: Body): Body {
  if (payload.type === 'CALL')
    refuse(['type'], 'CALL is not supported: the service makes no phone calls; use SMS or a webhook');
  return payload;
}

/** Returns the body of a check. It keeps `checkType`, by which the project finds the endpoint. */
export function toCheckBody(payload: Body, context: PayloadContext): Body {
  const { checkType, dependencies } = payload;
  const fields = withRetryKinds(withLinks(withOfferedFields(payload), context));
  if (checkType === 'HEARTBEAT') return omit(fields, FIELDS_OF_RUNS);
  return {
    ...(isCheckType(checkType) ? CHECK_TYPES[checkType].fill : {}),
    ...(checkType === 'PLAYWRIGHT' ? toSuiteFields(fields) : fields),
    ...(dependencies === undefined ? {} : { dependencies: toDependencies(dependencies, context) }),
  };
}

export const toGroupBody = (payload: Body, context: PayloadContext): Body =>
  omit(withRetryKinds(withLinks(payload, context)), ['v']);

/** Returns the body of a status page. In a payload, the services or components of a card are IDs. Throws `Problem` 400. */
export function toPageBody(payload: Body): Body {
  const { version: _, ...fields } = withOfferedFields(payload);
  const { cards } = fields;
  if (!Array.isArray(cards)) return fields;
  return {
    ...fields,
    cards: cards.map((card: unknown) => {
      if (!isObject(card)) return card;
      const { components, ...others } = card;
      const services = components ?? others.services;
      if (!Array.isArray(services)) return card;
      return {
        ...others,
        services: services.map((service: unknown) => (isObject(service) ? service : { id: service })),
      };
    }),
  };
}

/** Returns the body of a maintenance window. A window that does not repeat has no unit in a payload. */
export const toWindowBody = (payload: Body): Body => ({ repeatUnit: null, ...payload });

export const toDashboardBody = (payload: Body): Body => withOfferedFields(payload);
