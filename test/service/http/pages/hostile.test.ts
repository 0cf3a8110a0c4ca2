/** Whatever stands in a name, a text, an address or a colour: nothing of it becomes markup, style, a header or a link. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { safeWebUrl } from '../../../../src/service/http/pages/layout.ts';
import { renderTheme } from '../../../../src/service/http/pages/style.ts';
import { renderEmail } from '../../../../src/service/notify/channels/email.ts';
import { Css, css, html } from '../../../../src/service/notify/rendering/markup.ts';
import {
  renderAlreadySubscribedEmail,
  renderConfirmEmail,
  renderNoticeEmail,
} from '../../../../src/service/notify/subscribers/messages.ts';
import type { StatusPageRecord } from '../../../../src/service/store/index.ts';
import { call } from '../../../support/call.ts';
import { xmlProblems } from '../../../support/xmllint.ts';
import { get, makeIncident, makePage, makeServices, startWorld, type World } from './world.ts';

const TEXTS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '</title><svg onload=alert(1)>',
  '<!--><script>alert(1)</script>-->',
  ']]><script>alert(1)</script>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '&#60;script&#62;',
  '<!DOCTYPE x [<!ENTITY a "b">]>&a;',
  '{{constructor}} `x`',
  'a\u202egnp.exe\u2066\u200f',
  'a\u0007\u001b[31mb\u0085\ufffe\uffff',
  'two\r\nSet-Cookie: a=b',
];
const ADDRESSES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:image/svg+xml,<svg onload=alert(1)>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  'https://',
  'a b',
  'https://a;report-uri',
  'https://a,b',
  'https://*',
  "https://'unsafe-inline'",
];
const COLOURS = [
  'red;}body{display:none',
  '#fff;background:url(https://evil.example)',
  '#fff}</style><script>alert(1)</script>',
  'url(javascript:alert(1))',
  'expression(alert(1))',
  '#ggg',
  '#fffffff',
  '',
];
const POLICY =
  /^default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'; style-src 'sha256-[\w+/]+='; img-src 'self' https:\/\/a\.example$/;
const BREAKOUT = 'https://a.example/"><script>alert(1)</script>?a=b&c=\'d';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

describe('a template', () => {
  it.each(TEXTS)('makes text of %j', (text) => {
    const written = String(html`<p title="${text}">${[text, html`<b>${text}</b>`]}</p>`);
    expect(written.match(/<[^>]*>/g)).toHaveLength(4);
    expect(written).not.toMatch(/[^\P{Cc}\n\r]|[\p{Bidi_Control}\ufffe\uffff]/u);
    expect(written.match(/"/g)).toHaveLength(2);
  });
  it('takes for markup only what a template made, whatever an object claims', () => {
    const claims = { toString: () => '<script>', text: '<script>' } as unknown as string;
    expect(String(html`${claims}`)).toBe('&lt;script&gt;');
  });
});

it.each(ADDRESSES)('%j is no address of the web', (address) => {
  expect(safeWebUrl(address)).toBeUndefined();
});

it.each(COLOURS)('%j is no colour, and the page keeps its own', (colour) => {
  expect(Css.colour(colour)).toBeUndefined();
  const themeColors = { light: { linkFontColor: colour }, dark: { borderColor: colour } };
  expect(String(renderTheme({ themeColors }))).toBe(String(renderTheme({})));
  expect(String(css`a{color:${Css.colour('#A0b') ?? css``}}`)).toBe('a{color:#A0b}');
});

it('a page full of it shows it as text, in HTML, JSON and Atom', async () => {
  for (const [index, text] of TEXTS.entries()) {
    const [id = ''] = await makeServices(world, [`${text} ${index}`]);
    const url = `hostile-${index}`;
    await call(world, contract.updateService, {
      params: { id },
      body: { name: `${text} ${index}`, description: text },
    });
    await makePage(world, url, [id], {
      ...{
        name: text,
        description: text,
        cards: [{ name: text, description: text, expandedByDefault: false, services: [{ id }] }],
      },
      ...{
        logo: BREAKOUT,
        favicon: ADDRESSES[index % ADDRESSES.length] ?? '',
        redirectTo: `${BREAKOUT}${text}`,
        logoDark: ADDRESSES[index % ADDRESSES.length] ?? '',
        privacyPolicyLink: ADDRESSES[(index + 1) % ADDRESSES.length] ?? '',
        supportLink: `${BREAKOUT}${text}`,
        footerText: text,
      },
    });
    await makeIncident(world, [id], {
      name: text,
      incidentUpdates: [{ description: text, status: 'IDENTIFIED' }],
    });
    const path = `/status/${encodeURIComponent(url)}`;
    const answer = await get(world, path);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('content-security-policy')).toMatch(POLICY);
    const markup = page.replace(/<style>[^<]*<\/style>/, '');
    expect(markup).not.toMatch(/<(?:script|img(?! src="https:\/\/a\.example)|svg onload|!ENTITY)/i);
    for (const tag of markup.match(/<[a-z][^>]*>/gi) ?? []) {
      expect(tag.replaceAll(/="[^"]*"/g, '=""')).not.toMatch(/\son\w+=|=[^"]/i);
      for (const [, address] of tag.matchAll(/(?:href|src|srcset|action)="([^"]*)"/g))
        expect(address).toMatch(/^(?:https?:|\/|#)/);
    }
    const feed = await (await get(world, `${path}/feed.atom`)).text();
    expect(feed).not.toMatch(/<(?:script|img|svg|!DOCTYPE)/i);
    expect(await xmlProblems(feed)).toBe('');
    const program = await get(world, `${path}/status.json`);
    expect(program.headers.get('content-type')).toContain('application/json');
    expect(program.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

it.each(TEXTS)('an e-mail shows %j as text, and its subject is one line', (text) => {
  const page = { body: { name: text } } as StatusPageRecord;
  const notice = { accountId: 'a', key: 'k', about: 'incident', id: 'i', at: 0, services: 'all' } as const;
  const addresses = { pageUrl: 'https://a.example', unsubscribeUrl: BREAKOUT };
  const told = { ...notice, title: text, state: text, text };
  const letters = [
    renderEmail({
      ...{ kind: 'ALERT_FAILURE', at: 0, since: 0, groupName: text, tags: [text], link: BREAKOUT },
      check: { id: 'i', name: text, type: 'DNS' },
      run: { sessionId: 's', resultId: 'r', location: text, error: text, responseTime: 1, startedAt: 0 },
    }),
    renderNoticeEmail('a@example.com', { notice: told, page, services: [text], ...addresses }),
    renderConfirmEmail('a@example.com', text, BREAKOUT),
    renderAlreadySubscribedEmail('a@example.com', text, addresses),
  ];
  for (const { subject, html: written, text: plainly } of letters) {
    expect(subject).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(plainly).not.toMatch(/[^\P{Cc}\t\n\r]|\p{Bidi_Control}/u);
    const markup = written.replace(/<style>[^<]*<\/style>/, '');
    expect(markup).not.toMatch(/<(?:script|img|svg|!--|!ENTITY|!DOCTYPE x)/);
    for (const tag of markup.match(/<[a-z][^>]*>/gi) ?? []) {
      expect(tag.replaceAll(/="[^"]*"/g, '=""')).not.toMatch(/\son\w+=|=[^"]/i);
    }
  }
});

it('what a check is called, and what it is answered, is shown as text', async () => {
  const name = '</h1><script>alert(1)</script>';
  const check = await call(world, contract.createDnsCheck, {
    body: {
      name,
      request: { query: 'a.example', nameServer: '127.0.0.1', port: 9 },
      heartbeat: {},
      script: '',
    },
  });
  const target = { checkId: [String((check as { id: string }).id)] };
  const [started] = (await call(world, contract.triggerCheckSessions, { body: { target } })).sessions;
  const params = { checkSessionId: started?.checkSessionId ?? '' };
  const ended = await call(world, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
  const session = ended.checkSessionLink;
  for (const link of [session, `${session}/run`, ended.results[0]?.checkResultLink]) {
    const page = await (await fetch(link ?? '')).text();
    expect(page).toContain('&lt;/h1&gt;&lt;script&gt;');
    expect(page).not.toContain('<script');
  }
});
