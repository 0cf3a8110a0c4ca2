/** Schema of an alert of a check. */
import { CHECK_TYPE_NAMES } from '../check-types.ts';
import { ALERT_KINDS } from '../enumerations.ts';
import { dateTime, open, openOneOf, string, uuid } from '../schema.ts';

export const checkAlert = open(
  {
    id: uuid('ID of the alert'),
    name: string('Name of the check'),
    checkId: string('ID of the check'),
    alertType: openOneOf(ALERT_KINDS, 'Kind of alert'),
    checkType: openOneOf(CHECK_TYPE_NAMES, 'Type of the check'),
    created_at: dateTime('Time of the alert'),
  },
  { title: 'CheckAlert' },
);
