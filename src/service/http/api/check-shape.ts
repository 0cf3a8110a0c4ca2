/** How a stored check reads in an answer. */
import type { listChecks, ResponseOf } from '../../../contract/index.ts';
import type { AlertChannelRecord, CheckRecord, HeartbeatRecord, Subscription } from '../../store/index.ts';
import { shownChannels, shownSubscriptions } from './alerting.ts';
import { type CheckAnswers, type CheckType, rowOf } from './check-types.ts';
import { ages, isoOrNull } from './documents.ts';

export type AnyAnswer = ResponseOf<typeof listChecks>[number];

/** What an answer tells besides the check's own fields, as the store has it. */
export interface Around {
  readonly subscriptions: readonly Subscription[];
  readonly channels: readonly AlertChannelRecord[];
  /** Of heartbeat checks. */
  readonly heartbeat?: HeartbeatRecord | undefined;
  /** Where the service is reached; undefined: it does not know. */
  readonly publicUrl: string | undefined;
}

/** When and where a heartbeat is pinged. */
function shownHeartbeat({ token, lastPingAt, dueAt }: HeartbeatRecord, publicUrl = '') {
  return {
    pingUrl: `${publicUrl}/ping/${token}`,
    lastPingAt: isoOrNull(lastPingAt),
    dueAt: isoOrNull(dueAt),
  };
}

/** A check as the endpoints of its type answer it. */
export function presentTyped<T extends CheckType>(
  check: CheckRecord,
  around: Around,
  type: T,
): CheckAnswers[T] {
  const { subscriptions, channels, heartbeat, publicUrl } = around;
  const { unset, shown } = rowOf(type);
  const body = shown(check.body);
  const { frequencyOffset } = check;
  return {
    id: check.id,
    checkType: type,
    ...unset,
    ...body,
    ...(check.type === 'HEARTBEAT' && heartbeat
      ? { heartbeat: { ...check.body.heartbeat, ...shownHeartbeat(heartbeat, publicUrl) } }
      : {}),
    ...(frequencyOffset === null || !isPhased(check) ? {} : { frequencyOffset }),
    alertChannelSubscriptions: shownSubscriptions(subscriptions),
    alertChannels: shownChannels(subscriptions, channels),
    ...ages(check),
  } as CheckAnswers[T];
}

const PHASED: readonly CheckType[] = ['API', 'DNS', 'ICMP', 'TCP', 'URL'];
/** Whether its answer tells the phase of its schedule: of the types whose users may set it. */
const isPhased = ({ type }: CheckRecord): boolean => PHASED.includes(type);

/** A check as lists and the endpoints of all types answer it. */
export function presentCheck(check: CheckRecord, around: Around): AnyAnswer {
  return {
    ...presentTyped(check, around, check.type),
    ...{ id: check.id, name: check.name, checkType: check.type },
    ...{ status: check.status, nextRunAt: isoOrNull(check.nextRunAt) },
  };
}
