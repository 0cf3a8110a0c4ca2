/** A change of a check whose type is not known before it was read: the fields of both types. */
import type { Validator } from '../../../src/contract/endpoint.ts';
import {
  type Endpoint,
  updateBrowserCheck,
  updateCheck,
  updateDnsCheck,
} from '../../../src/contract/index.ts';
import { partialOf } from '../resources/partial.ts';
import type { Check } from './standing.ts';

const dns = updateDnsCheck.body?.properties ?? {};
const browser = updateBrowserCheck.body?.properties ?? {};

const partials = [partialOf(updateDnsCheck), partialOf(updateBrowserCheck)];

/** What either type takes is taken; else what is told is wrong for the type that comes closest. */
const either: Validator = (body) => {
  const found = partials.map(({ validate }) =>
    !validate.body || validate.body(body) ? [] : (validate.body.errors ?? []),
  );
  either.errors = found.reduce((fewest, errors) => (errors.length < fewest.length ? errors : fewest));
  return either.errors.length === 0;
};

/** What both types take together, with the frequencies of both. It only carries the type of the larger one. */
export const updateAnyCheck = {
  ...updateCheck,
  body: {
    ...updateDnsCheck.body,
    title: 'CheckChange',
    properties: { ...dns, ...browser, ...(dns.frequency ? { frequency: dns.frequency } : {}) },
  },
  validate: { ...updateCheck.validate, body: either },
} as Endpoint as typeof updateDnsCheck;

/** The endpoint for a check that was read: judged by what its type takes, and answered as any check is. */
export function endpointOf({ checkType }: Check): Endpoint {
  const typed =
    checkType === 'DNS' ? updateDnsCheck : checkType === 'BROWSER' ? updateBrowserCheck : undefined;
  if (!typed) return updateAnyCheck;
  return { ...updateCheck, body: typed.body, validate: typed.validate, rules: typed.rules };
}
