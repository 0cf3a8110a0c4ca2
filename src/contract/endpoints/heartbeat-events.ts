/** Endpoints of the pings and missed pings of a heartbeat check. */
import * as resources from '../resources/heartbeat-events.ts';
import { allOptional, array, integer, string, uuid } from '../schema.ts';
import { define } from './define.ts';

const heartbeats = { resource: 'heartbeats', method: 'GET' } as const;
const checkId = { checkId: uuid('ID of the check') };
const range = allOptional({
  startTime: string('Start of the range, in ISO 8601 or Unix seconds; default: 24 hours before its end'),
  endTime: string('End of the range, in ISO 8601 or Unix seconds; default: now'),
});

export const getHeartbeatAvailability = define({
  ...heartbeats,
  name: 'getHeartbeatAvailability',
  path: '/v1/checks/heartbeats/{checkId}/availability',
  summary: 'Get the share of pings that a heartbeat check received',
  params: checkId,
  query: range,
  response: resources.heartbeatAvailability,
});
export const listHeartbeatEvents = define({
  ...heartbeats,
  name: 'listHeartbeatEvents',
  path: '/v1/checks/heartbeats/{checkId}/events',
  summary: 'List the recorded pings and missed pings of a heartbeat check',
  params: checkId,
  query: {
    ...range,
    ...allOptional({ limit: integer('Maximum number of events', { minimum: 1, maximum: 10, default: 10 }) }),
  },
  response: array(resources.heartbeatEvents, 'One item, with the events of the check'),
});
export const getHeartbeatEvent = define({
  ...heartbeats,
  name: 'getHeartbeatEvent',
  path: '/v1/checks/heartbeats/{checkId}/events/{id}',
  summary: 'Get a ping or missed ping of a heartbeat check',
  params: { ...checkId, id: uuid('ID of the event') },
  response: resources.heartbeatEventDetails,
});
