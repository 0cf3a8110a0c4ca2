/** Makes the subjects of assertions, only from complete data. Nothing else can make a value of the type `Subject`. */

import type { JsonValue, Selection } from '../core/assertion.ts';
import { complete, isComplete, type Observed } from './observed.ts';

declare const BRAND: unique symbol;

/** A selection from complete data, or one that no assertion accepts. */
export type Subject = Selection & { readonly [BRAND]: true };

const brand = (selection: Selection): Subject => selection as Subject;

/** Selects from complete data. Every assertion about incomplete data fails with the reason, a negative one too. */
export const selectFrom = <Value>(observed: Observed<Value>, select: (value: Value) => Selection): Subject =>
  isComplete(observed)
    ? brand(select(observed.complete))
    : brand({ values: [], unusable: observed.incomplete });

/** Returns the subject of a value that sonde measured, such as a response time in ms. */
export const measured = (value: JsonValue): Subject =>
  selectFrom(complete(value), (one) => ({ values: [one] }));

/** Returns the subject of an assertion that is invalid whatever the target answers. `why` has no full stop. */
export const invalidSubject = (why: string): Subject => brand({ values: [], unusable: why });
