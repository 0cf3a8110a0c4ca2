/** The parts of a text that become links, and those that never do. */
import { expect, it } from 'vitest';
import { linkAddresses } from '../../../../src/service/notify/rendering/links.ts';
import { escapeMarkup } from '../../../../src/service/notify/rendering/markup.ts';
import { renderNoticeEmail } from '../../../../src/service/notify/subscribers/messages.ts';

const addressesIn = (text: string) =>
  [...String(linkAddresses(text)).matchAll(/<a href="([^"]*)" rel="nofollow noopener">([^<]*)<\/a>/g)].map(
    ([, href, shown]) => {
      expect(shown).toBe(href);
      return href;
    },
  );

it.each([
  ['Details: https://example.com/a?b=1&c=2.', 'https://example.com/a?b=1&amp;c=2'],
  ['http://example.com', 'http://example.com'],
  ['HTTPS://EXAMPLE.COM/A', 'HTTPS://EXAMPLE.COM/A'],
  ['(see https://example.com/x)', 'https://example.com/x'],
  ['https://example.com/wiki/Foo_(bar)', 'https://example.com/wiki/Foo_(bar)'],
  ['(https://example.com/wiki/Foo_(bar)).', 'https://example.com/wiki/Foo_(bar)'],
  ['[1] <https://example.com/x>, then', 'https://example.com/x'],
  ['"https://example.com/x"', 'https://example.com/x'],
  ["it's 'https://example.com/x'!", 'https://example.com/x'],
  ['**https://example.com/x**', 'https://example.com/x'],
  ['really https://example.com/x?!…', 'https://example.com/x'],
  ['障害情報：https://example.com/x。', 'https://example.com/x'],
  ['https://example.com:8443/#part', 'https://example.com:8443/#part'],
  ['https://[::1]/x', 'https://[::1]/x'],
  ['https://bücher.example/ü', 'https://bücher.example/ü'],
])('%s has a link', (text, href) => {
  expect(addressesIn(text)).toEqual([href]);
});

it.each([
  'javascript:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'ftp://example.com/x',
  'xhttps://example.com',
  'https://',
  'https:// example.com',
  'https://bank.example@evil.example/',
  'https://user:word@example.com/',
  'https://.',
  'example.com',
])('%s has none', (text) => {
  expect(String(linkAddresses(text))).toBe(escapeMarkup(text));
});

it('keeps the rest of the text, escaped, and every address', () => {
  expect(String(linkAddresses('<b> https://a.example, https://b.example/"onclick="x" & more\n'))).toBe(
    '&lt;b&gt; <a href="https://a.example" rel="nofollow noopener">https://a.example</a>, ' +
      '<a href="https://b.example/" rel="nofollow noopener">https://b.example/</a>&quot;onclick=&quot;x&quot; &amp; more\n',
  );
  // Characters that turn the direction of the text cannot disguise an address.
  expect(addressesIn('https://example.com/\u202egpj.exe')).toEqual(['https://example.com/gpj.exe']);
});

it('costs in proportion to the text', () => {
  const long = `https://example.com/${'().'.repeat(1_000_000)}`;
  expect(addressesIn(long)).toEqual([`https://example.com/${'().'.repeat(999_999)}()`]);
});

it('mails of notices have them too', () => {
  const { html } = renderNoticeEmail('a@example.com', {
    notice: {
      about: 'incident',
      id: '1',
      title: 'T',
      state: 'Monitoring',
      text: 'See https://example.com/x.',
      at: 0,
    },
    page: { body: { name: 'Shop' } },
    services: [],
    pageUrl: 'https://status.example.com',
    unsubscribeUrl: 'https://status.example.com/u',
  } as unknown as Parameters<typeof renderNoticeEmail>[1]);
  expect(html).toContain(
    'See <a href="https://example.com/x" rel="nofollow noopener" class="entry" style="color:#1f5bb5">https://example.com/x</a>.',
  );
});
