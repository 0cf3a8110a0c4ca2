/** The rows of an alert, the same in every channel. */
import { expect, it } from 'vitest';
import { type AlertFacts, formatRows } from '../../../../src/service/notify/facts/alert-facts.ts';

const alertFrom = (location: string): AlertFacts => ({
  kind: 'ALERT_FAILURE',
  at: 1000,
  since: 0,
  groupName: null,
  tags: [],
  link: null,
  check: { id: 'id', name: 'Apex record', type: 'DNS' },
  run: { sessionId: 's', resultId: 'r', location, error: 'no answer', responseTime: null, startedAt: 0 },
});

it.each([
  ['eu-west-1', 'eu-west-1 (simulated)'],
  ['our-cellar', 'our-cellar'],
])('say of %s that it is %s', (location, shown) => {
  expect(formatRows(alertFrom(location))).toContainEqual(['Location', shown]);
});
