/** Schemas of the pings and missed pings of a heartbeat check. */
import {
  array,
  dateTime,
  integer,
  nullable,
  number,
  open,
  openOneOf,
  optional,
  string,
  uuid,
} from '../schema.ts';

export const heartbeatAvailability = open(
  {
    successRatio: open(
      {
        previousPeriod: optional(number('Share in the range of the same length before', { 'x-unit': '%' })),
        currentPeriod: optional(number('Share in the range', { 'x-unit': '%' })),
      },
      { description: 'Share of received pings in percent; absent: no event' },
    ),
    totalEntitiesCurrentPeriod: integer('Number of events in the range'),
  },
  { title: 'HeartbeatAvailability' },
);

const HEARTBEAT_STATES = ['FAILING', 'EARLY', 'RECEIVED', 'GRACE', 'LATE'] as const;
export const heartbeatEvent = open(
  {
    id: uuid('ID of the event: that of its result'),
    state: openOneOf(
      HEARTBEAT_STATES,
      'FAILING: missed; RECEIVED: in time; GRACE: in the grace period; LATE: after a missed one',
    ),
    timestamp: dateTime('Time of the event'),
    source: nullable(string('HTTP method of the ping; null: missed')),
    userAgent: nullable(string('User agent of the ping')),
  },
  { title: 'HeartbeatEvent' },
);

const stats = open(
  { last24Hours: heartbeatAvailability, last7Days: heartbeatAvailability },
  { description: 'Availability until now' },
);
export const heartbeatEvents = open(
  { events: array(heartbeatEvent, 'Events, newest first'), stats },
  { title: 'HeartbeatEvents' },
);
export const heartbeatEventDetails = open(
  { event: heartbeatEvent, stats },
  { title: 'HeartbeatEventDetails' },
);
