/** Endpoints of the alerts of checks. */
import { checkAlert } from '../resources/check-alert.ts';
import { allOptional, array, string, unixSeconds } from '../schema.ts';
import { define, pageQuery } from './define.ts';

const alerts = { resource: 'check alerts', method: 'GET' } as const;
const query = {
  ...pageQuery,
  ...allOptional({
    from: unixSeconds('Only alerts at or after this time, in Unix seconds; at most 6 hours before to'),
    to: unixSeconds('Only alerts before this time, in Unix seconds'),
  }),
};

export const listCheckAlerts = define({
  ...alerts,
  name: 'listCheckAlerts',
  path: '/v1/check-alerts',
  summary: 'List the alerts of all checks in 6 hours, newest first',
  query,
  response: array(checkAlert, 'Alerts'),
  paging: 'page',
  rules: ['resultWindow'],
});
export const listAlertsOfCheck = define({
  ...alerts,
  name: 'listAlertsOfCheck',
  path: '/v1/check-alerts/{checkId}',
  summary: 'List the alerts of a check in 6 hours, newest first',
  params: { checkId: string('ID of the check') },
  query,
  response: array(checkAlert, 'Alerts'),
  paging: 'page',
  rules: ['resultWindow'],
});
