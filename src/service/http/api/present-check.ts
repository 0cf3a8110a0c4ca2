/** Converts a stored check to its response. */
import type { CheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type { listChecks, ResponseOf } from '../../../contract/index.ts';
import type { AlertChannelRecord, CheckRecord, HeartbeatRecord, Subscription } from '../../store/index.ts';
import { presentChannels, presentSubscriptions } from './alert-subscriptions.ts';
import { type CheckResponses, checkTypeDefinition } from './check-types.ts';
import { timestamps, toIsoOrNull } from './document-resource.ts';

export type CheckResponse = ResponseOf<typeof listChecks>[number];

/** Related resources that a response includes. */
export interface CheckRelations {
  readonly subscriptions: readonly Subscription[];
  readonly channels: readonly AlertChannelRecord[];
  /** Only for heartbeat checks. */
  readonly heartbeat?: HeartbeatRecord | undefined;
  /** The public URL of the service; undefined if it is unknown. */
  readonly publicUrl: string | undefined;
}

/** Returns the ping URL and ping times of a heartbeat. */
function presentHeartbeat({ token, lastPingAt, dueAt }: HeartbeatRecord, publicUrl = '') {
  return {
    pingUrl: `${publicUrl}/ping/${token}`,
    lastPingAt: toIsoOrNull(lastPingAt),
    dueAt: toIsoOrNull(dueAt),
  };
}

/** Returns the response of the endpoints of the check's type. */
export function presentTypedCheck<T extends CheckType>(
  check: CheckRecord,
  relations: CheckRelations,
  type: T,
): CheckResponses[T] {
  const { subscriptions, channels, heartbeat, publicUrl } = relations;
  const { defaults, mask } = checkTypeDefinition(type);
  const body = mask(check.body);
  const { frequencyOffset } = check;
  return {
    id: check.id,
    checkType: type,
    ...defaults,
    ...body,
    ...(check.type === 'HEARTBEAT' && heartbeat
      ? { heartbeat: { ...check.body.heartbeat, ...presentHeartbeat(heartbeat, publicUrl) } }
      : {}),
    ...(frequencyOffset === null || !hasFrequencyOffset(check) ? {} : { frequencyOffset }),
    alertChannelSubscriptions: presentSubscriptions(subscriptions),
    alertChannels: presentChannels(subscriptions, channels),
    ...timestamps(check),
  } as CheckResponses[T];
}

/** Returns whether the response includes the frequency offset, which users may set only for these types. */
const hasFrequencyOffset = ({ type }: CheckRecord): boolean => CHECK_TYPES[type].schedule === 'uptime';

/** Returns the response of lists and of the endpoints for all types. */
export function presentCheck(check: CheckRecord, relations: CheckRelations): CheckResponse {
  return {
    ...presentTypedCheck(check, relations, check.type),
    id: check.id,
    name: check.name,
    checkType: check.type,
    status: check.status,
    nextRunAt: toIsoOrNull(check.nextRunAt),
  };
}
