/** Every e-mail that the service sends, as it is made: for eyes and for rules. */

import { ALERT_KINDS } from '../../../../src/contract/enumerations.ts';
import { renderEmail } from '../../../../src/service/notify/channels/email.ts';
import type { AlertFacts } from '../../../../src/service/notify/facts/alert-facts.ts';
import type { EmailMessage } from '../../../../src/service/notify/facts/message.ts';
import {
  renderAlreadySubscribedEmail,
  renderConfirmEmail,
  renderNoticeEmail,
} from '../../../../src/service/notify/subscribers/messages.ts';
import type { StatusPageRecord } from '../../../../src/service/store/index.ts';
import { LONG } from './type-runs.ts';

type Email = Pick<EmailMessage, 'subject' | 'text' | 'html'>;

const AT = Date.UTC(2026, 10, 21, 8, 15, 30);
const FACTS: AlertFacts = {
  ...{ kind: 'ALERT_FAILURE', at: AT, since: AT - 12 * 60_000, groupName: 'Shop', tags: ['prod', 'dns'] },
  check: { id: 'c0ffee', name: 'www.example.com resolves', type: 'DNS' },
  run: {
    ...{ sessionId: 's', resultId: 'r', location: 'eu-west-1', responseTime: 23.4, startedAt: AT - 400 },
    error: 'The assertion "response code equals NOERROR" failed: it is NXDOMAIN',
  },
  link: 'https://monitoring.example.com/check-sessions/5d9f/results/77aa/4nX0aV8eXgVw5q1wQ3JtYQ',
};
const CERTIFICATE = {
  ...{
    hosts: ['shop.example.com:8443'],
    expiresAt: AT + 12.5 * 86_400_000,
    checks: ['Shop', 'Checkout', LONG],
  },
  fingerprint: Array(32).fill('AB').join(':'),
};
const PAGE = { body: { name: 'Example Shop' } } as StatusPageRecord;
const ADDRESSES = {
  pageUrl: 'https://status.example.com',
  unsubscribeUrl: 'https://status.example.com/unsubscribe/1/abc',
};
const notice = (title: string, state: string, text: string) => ({
  ...{
    accountId: 'a',
    key: 'k',
    about: text.startsWith('Scheduled') ? ('maintenance' as const) : ('incident' as const),
    id: 'i',
    at: AT,
    services: 'all' as const,
  },
  ...{ title, state, text },
});

const told = (title: string, state: string, text: string, services: readonly string[]): Email =>
  renderNoticeEmail('a@example.com', {
    notice: notice(title, state, text),
    page: PAGE,
    services,
    ...ADDRESSES,
  });

/** By a name each. */
export const EVERY_EMAIL: Readonly<Record<string, Email>> = {
  ...Object.fromEntries(ALERT_KINDS.map((kind) => [kind, renderEmail({ ...FACTS, kind })])),
  ALERT_SSL: renderEmail({
    ...FACTS,
    kind: 'ALERT_SSL',
    run: null,
    link: 'https://monitoring.example.com/checks/c0ffee',
    certificate: CERTIFICATE,
  }),
  long: renderEmail({
    ...{ ...FACTS, groupName: LONG, tags: Array.from({ length: 12 }, () => LONG) },
    check: { ...FACTS.check, name: `${LONG} 🛒 خدمة الدفع` },
    run: FACTS.run && { ...FACTS.run, error: `Error: expected "${LONG}"\n    at ${LONG}:12:7\n`.repeat(6) },
  }),
  reasons: renderEmail({
    ...FACTS,
    changes: ['the status changed from 200 to 503', `the header server changed from nginx to ${LONG}`],
    recent: '▁▂▁▁▃█?××× (oldest first: 6 passed, 3 failed, 1 monitor error)',
  }),
  bundle: renderEmail({
    ...FACTS,
    link: 'https://monitoring.example.com/?status=failing',
    bundle: {
      name: 'Shop',
      alerts: Array.from({ length: 30 }, (_, index) => ({
        ...{ kind: 'ALERT_FAILURE' as const, run: FACTS.run, link: FACTS.link },
        check: { ...FACTS.check, name: index === 1 ? LONG : `Check ${index}` },
      })),
    },
  }),
  bare: renderEmail({ ...FACTS, groupName: null, tags: [], run: null, link: null }),
  incident: told('Orders fail', 'Investigating', 'We look for the cause.\nOrders are safe.', [
    'Web shop',
    'Payments',
  ]),
  maintenance: told(
    'Upgrade of the database',
    'Scheduled maintenance starts in 60 minutes',
    'Scheduled: 21 November 2026, 10:15 to 11:15 (Europe/Berlin)',
    [LONG],
  ),
  confirm: renderConfirmEmail('a@example.com', 'Example Shop', `https://status.example.com/confirm/${LONG}`),
  already: renderAlreadySubscribedEmail('a@example.com', 'Example Shop', ADDRESSES),
};
