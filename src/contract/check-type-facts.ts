/** Looks up check types at run time. Deployments may have types that this version does not know. */
import { CHECK_TYPES } from './generated/check-types.js';

export type CheckType = keyof typeof CHECK_TYPES;

type Facts = typeof CHECK_TYPES;
type TypesWith<F> = { [T in CheckType]: Facts[T] extends F ? T : never }[CheckType];
/** Types that run in this process, because nothing of the user is executed. */
export type UptimeCheckType = TypesWith<{ schedule: 'uptime'; usesVariables: false }>;

export const CHECK_TYPE_NAMES = Object.keys(CHECK_TYPES) as CheckType[];

export const isCheckType = (type: unknown): type is CheckType =>
  typeof type === 'string' && Object.hasOwn(CHECK_TYPES, type);

/** Returns whether the check runs. A heartbeat receives pings instead. */
export const isRunnable = ({ type }: { readonly type: unknown }): boolean =>
  !isCheckType(type) || CHECK_TYPES[type].schedule !== 'none';

/** Returns whether failed runs of the check are retried. A suite retries its tests, and a heartbeat is not run. */
export const hasRetries = ({ type }: { readonly type: unknown }): boolean =>
  !isCheckType(type) || CHECK_TYPES[type].hasRetries;

/** Returns whether runs of the check receive variables. */
export const usesVariables = ({ type }: { readonly type: unknown }): boolean =>
  isCheckType(type) && CHECK_TYPES[type].usesVariables;

/** Returns `multi-step check`; for a type that this version does not know, the API's name. */
export const checkTypeLabel = (type: string): string =>
  `${isCheckType(type) ? CHECK_TYPES[type].label : type} check`;
