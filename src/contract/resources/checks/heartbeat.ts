/** Schemas of heartbeat checks: a job pings a URL, and a missing ping fails the check. */
import { TIME_UNITS } from '../../enumerations.ts';
import { NAME_LIMIT } from '../../limits.ts';
import {
  allOptional,
  closed,
  dateTime,
  integer,
  nullable,
  oneOf,
  open,
  optional,
  secret,
  string,
} from '../../schema.ts';
import { answerOf, changeOf, checkName, standingFields } from './common.ts';

const unit = (of: string) => oneOf(TIME_UNITS, `Unit of the ${of}`, { 'x-gaps': ['enum'], 'x-sample': true });
const heartbeatFields = {
  ...allOptional({
    period: integer('Expected interval between pings, in units of periodUnit: 30 seconds to 365 days', {
      minimum: 1,
      'x-gaps': ['minimum'],
      'x-sample': true,
    }),
    periodUnit: unit('period'),
    cron: nullable(
      string(
        'Times of expected pings as a cron expression with five fields; replaces the period',
        NAME_LIMIT,
      ),
    ),
    timezone: nullable(string('IANA time zone of cron; default: UTC', NAME_LIMIT)),
  }),
  grace: integer('Grace period for a late ping, in units of graceUnit: at most 365 days', {
    minimum: 0,
    'x-gaps': ['minimum'],
  }),
  graceUnit: unit('grace period'),
};

// Also accepts the tokens of earlier versions, and an empty one as absent, as deployments do.
const pingToken = nullable(
  secret('shown', 'Secret part of the ping URL, such as a random UUID; default: a new one', {
    pattern: '^(?:[\\w-]{22,64})?$',
    'x-gaps': ['pattern'],
  }),
);
const heartbeatBody = closed(
  { ...heartbeatFields, pingToken: optional(pingToken) },
  {
    title: 'Heartbeat',
    description: 'Expected interval between pings, and grace period',
  },
);
const heartbeatAnswer = open(
  {
    ...heartbeatFields,
    ...allOptional({
      pingToken: nullable(secret('shown', 'Secret part of the ping URL')),
      pingUrl: secret('shown', 'URL to ping with GET, HEAD or POST; no key required'),
      lastPingAt: nullable(dateTime('Time of the last ping; null: no ping yet')),
      dueAt: nullable(dateTime('Time at which the check fails if no ping arrives; null: no ping is due')),
    }),
  },
  { title: 'HeartbeatAnswer', description: 'Expected interval between pings, ping URL and last ping' },
);

const heartbeatCheckBody = closed(
  { name: checkName, heartbeat: heartbeatBody, ...allOptional(standingFields) },
  { title: 'HeartbeatCheckRequest' },
);
const heartbeatCheckAnswer = answerOf(
  { type: 'HEARTBEAT', title: 'HeartbeatCheck' },
  { heartbeat: optional(heartbeatAnswer), ...allOptional(standingFields) },
);
export const heartbeatCheck = {
  body: heartbeatCheckBody,
  answer: heartbeatCheckAnswer,
  change: changeOf(heartbeatCheckBody, 'HeartbeatCheckChange'),
};
