/** How a stored check reads in an answer. */
import type { listChecks, ResponseOf } from '../../../contract/index.ts';
import type { AlertChannelRecord, CheckRecord, HeartbeatRecord, Subscription } from '../../store/index.ts';
import { presentChannels, presentSubscriptions } from './alert-subscriptions.ts';
import { type CheckResponses, type CheckType, checkTypeDefinition } from './check-types.ts';
import { timestamps, toIsoOrNull } from './document-resource.ts';

export type CheckResponse = ResponseOf<typeof listChecks>[number];

/** What an answer tells besides the check's own fields, as the store has it. */
export interface CheckRelations {
  readonly subscriptions: readonly Subscription[];
  readonly channels: readonly AlertChannelRecord[];
  /** Of heartbeat checks. */
  readonly heartbeat?: HeartbeatRecord | undefined;
  /** Where the service is reached; undefined: it does not know. */
  readonly publicUrl: string | undefined;
}

/** When and where a heartbeat is pinged. */
function presentHeartbeat({ token, lastPingAt, dueAt }: HeartbeatRecord, publicUrl = '') {
  return {
    pingUrl: `${publicUrl}/ping/${token}`,
    lastPingAt: toIsoOrNull(lastPingAt),
    dueAt: toIsoOrNull(dueAt),
  };
}

/** A check as the endpoints of its type answer it. */
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

const TYPES_WITH_OFFSET: readonly CheckType[] = ['API', 'DNS', 'ICMP', 'TCP', 'URL'];
/** Whether its answer tells the phase of its schedule: of the types whose users may set it. */
const hasFrequencyOffset = ({ type }: CheckRecord): boolean => TYPES_WITH_OFFSET.includes(type);

/** A check as lists and the endpoints of all types answer it. */
export function presentCheck(check: CheckRecord, relations: CheckRelations): CheckResponse {
  return {
    ...presentTypedCheck(check, relations, check.type),
    ...{ id: check.id, name: check.name, checkType: check.type },
    ...{ status: check.status, nextRunAt: toIsoOrNull(check.nextRunAt) },
  };
}
