/** Heartbeat check: what is watched pings a URL of its own; a ping that is missing fails the check. */
import { TIME_UNITS } from '../../enumerations.ts';
import {
  allOptional,
  closed,
  dateTime,
  integer,
  nullable,
  oneOf,
  open,
  optional,
  string,
  type Type,
} from '../../schema.ts';
import { answerOf, changeOf, checkName, standingFields } from './common.ts';

const unit = (of: string) => oneOf(TIME_UNITS, `Unit of the ${of}`, { 'x-gaps': ['enum'] });
const heartbeatFields = {
  period: integer('How often a ping is expected, in units of periodUnit: 30 seconds to 365 days', {
    minimum: 1,
    'x-gaps': ['minimum'],
  }),
  periodUnit: unit('period'),
  grace: integer('How late a ping may be, in units of graceUnit: at most 365 days', {
    minimum: 0,
    'x-gaps': ['minimum'],
  }),
  graceUnit: unit('grace'),
};

const heartbeatBody = closed(heartbeatFields, {
  title: 'Heartbeat',
  description: 'How often a ping is expected, and how late it may be',
});
const heartbeatAnswer = open(
  {
    ...heartbeatFields,
    ...allOptional({
      pingUrl: string('Address that is to be pinged: GET, HEAD or POST, without a key'),
      lastPingAt: nullable(dateTime('When the last ping came; null: none has')),
      dueAt: nullable(dateTime('When the check fails unless a ping comes; null: it is not waited for one')),
    }),
  },
  { title: 'HeartbeatAnswer', description: 'How often a ping is expected, where, and when the last came' },
);

export const heartbeatCheckBody = closed(
  { name: checkName, heartbeat: heartbeatBody, ...allOptional(standingFields) },
  { title: 'HeartbeatCheckRequest' },
);
export type HeartbeatCheckBody = Type.Static<typeof heartbeatCheckBody>;
export const heartbeatCheck = answerOf(
  { type: 'HEARTBEAT', title: 'HeartbeatCheck' },
  { heartbeat: optional(heartbeatAnswer), ...allOptional(standingFields) },
);
export const heartbeatCheckChange = changeOf(heartbeatCheckBody, 'HeartbeatCheckChange');
