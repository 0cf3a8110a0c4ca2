/** What addresses of subscribers are compared and counted by. */
import { expect, it } from 'vitest';
import { normalizeEmail } from '../../../../src/base/addresses.ts';
import { normalizeMailbox } from '../../../../src/service/notify/subscribers/parse-address.ts';

it.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['ada+News@example.com', 'ada+news@example.com'],
  ['ada@b\u00fccher.example', 'ada@xn--bcher-kva.example'],
])('compares %s as %s', (address, canonical) => {
  expect(normalizeEmail(address)).toBe(canonical);
});

it.each([
  ['EMAIL', 'Ada+News+x@Example.com', 'ada@example.com'],
  ['EMAIL', '+ada@example.com', '+ada@example.com'],
  ['EMAIL', 'a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['EMAIL', 'a.da@example.com', 'a.da@example.com'],
  ['WEBHOOK', 'https://example.com/hook?n=1', 'https://example.com/hook'],
] as const)('counts the %s %s as %s', (kind, address, mailbox) => {
  expect(normalizeMailbox(kind, address)).toBe(mailbox);
});
