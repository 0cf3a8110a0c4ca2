/** Schema of an alert of a check. */
import { CHECK_TYPE_NAMES } from '../check-types.ts';
import { ALERT_KINDS } from '../enumerations.ts';
import { allOptional, dateTime, nullable, number, open, openOneOf, string, uuid } from '../schema.ts';

/** IDs of the run that caused an alert; absent if no run did, or if an earlier version sent it. */
export const alertRunIds = {
  checkResultId: string('ID of the result that caused the alert; absent: none'),
  checkSessionId: string('ID of the session of that result', { 'x-gaps': ['*'] }),
};

export const checkAlert = open(
  {
    id: uuid('ID of the alert'),
    name: string('Name of the check'),
    checkId: string('ID of the check'),
    alertType: openOneOf(ALERT_KINDS, 'Kind of alert'),
    checkType: openOneOf(CHECK_TYPE_NAMES, 'Type of the check'),
    created_at: dateTime('Time of the alert'),
    ...allOptional({
      ...alertRunIds,
      runLocation: string('Location of the run that caused the alert'),
      responseTime: number('Response time of the run', { 'x-unit': 'ms' }),
      error: nullable(string('Main error of the run; null: none')),
      statusCode: nullable(string('HTTP status of the response; null: none')),
      startedAt: dateTime('Start time of the run'),
    }),
  },
  { title: 'CheckAlert' },
);
