/** Strangers who use the form for subscribers to flood mailboxes, to lock others out, and to write headers. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { bareEnv, type Running, startSonde } from '../support/binary.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail/smtp-server.ts';
import { send } from '../support/send.ts';

let folder = '';
let mail: MailServer;
let service: Running;
let url = '';

async function start(): Promise<void> {
  const home = join(folder, 'home');
  const env = bareEnv(home, {
    SONDE_SMTP_URL: `smtp://localhost:${mail.port}`,
    SONDE_MAIL_FROM: 'sonde@example.com',
  });
  const listen = url === '' ? '127.0.0.1:0' : new URL(url).host;
  const flags = ['--listen', listen, '--data', join(folder, 'data'), '--trust-proxy', '127.0.0.1'];
  service = startSonde(['service', 'start', ...flags], { env });
  await service.saw('this service');
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sonde-attack-'));
  await mkdir(join(folder, 'home'));
  mail = await startMailServer({ disabledCommands: ['STARTTLS'], hideSTARTTLS: true });
  await start();
  const file = parse(await readFile(join(folder, 'home/.config/sonde/config.yaml'), 'utf8')) as {
    profiles: { local: { baseUrl: string; apiKey: string } };
  };
  const { baseUrl, apiKey } = file.profiles.local;
  url = baseUrl;
  for (const slug of ['one', 'two', 'many']) {
    const { status } = await send({ url, apiKey }, 'POST /v1/status-pages', {
      name: slug,
      url: slug,
      cards: [],
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  service.child.kill('SIGTERM');
  await service.ended;
  await mail.close();
  await rm(folder, { recursive: true, force: true });
});

const tokens = new Map<string, string>();

/** Sends the form of a page from a client, as the trusted proxy in front says. Gives the status and the text. */
async function subscribe(from: string, address: string, slug = 'one') {
  const at = `${url}/status/${slug}/subscribe`;
  const token =
    tokens.get(slug) ?? /name="token" value="([^"]+)"/.exec(await (await fetch(at)).text())?.[1] ?? '';
  tokens.set(slug, token);
  const answer = await fetch(at, {
    method: 'POST',
    headers: { accept: 'text/html', 'x-forwarded-for': from },
    body: new URLSearchParams({ kind: 'EMAIL', address, token }),
    redirect: 'manual',
  });
  return { status: answer.status, text: await answer.text() };
}
const sentTo = (pattern: RegExp) => mail.mails.filter(({ to }) => to.some((one) => pattern.test(one)));

it('writes to a mailbox once, however its address is spelt, whoever asks, and on whichever page', async () => {
  const spellings = [
    'Victim@Example.COM',
    'victim@example.com',
    'VICTIM+a@example.com',
    'victim+b+c@EXAMPLE.com',
  ];
  for (const [index, spelling] of spellings.entries())
    for (const slug of ['one', 'two'])
      expect((await subscribe(`192.0.2.${index}`, spelling, slug)).status).toBe(303);
  expect((await subscribe('192.0.2.99', 'last@example.com')).status).toBe(303);
  // Messages leave in the order of their writing.
  await eventually(() => expect(sentTo(/^last@/)).toHaveLength(1));
  expect(sentTo(/^victim/i).map(({ to }) => to)).toEqual([['Victim@example.com']]);
});

it('takes no header, no second recipient and no silly address', async () => {
  const bad = [
    ...['a@example.com\r\nBcc: b@example.com', 'a@example.com\nSubject: x', 'a@example.com, b@example.com'],
    ...['a@example.com;b@example.com', '<a@example.com>', '"a b"@example.com', 'a@localhost', 'a@127.0.0.1'],
    ...['a@[127.0.0.1]', '@example.com', 'a@', 'a..b@example.com', '.a@example.com', 'a.@example.com'],
    ...['a%b@example.com', '|cat@example.com', 'a\u202e@example.com', `${'a'.repeat(65)}@example.com`],
    `a@${'b'.repeat(64)}.example.com`,
  ];
  for (const [index, address] of bad.entries()) {
    const { status, text } = await subscribe(`198.51.${index}.1`, address);
    expect([status, address]).toEqual([400, address]);
    expect(text).toContain('Enter an e-mail address, such as name@example.com.');
  }
});

it('lets one client use up its own quota alone, whatever it claims, also over a restart', async () => {
  for (let n = 0; n < 10; n += 1)
    expect((await subscribe(`10.9.9.${n}, 203.0.113.1`, `flood${n}@example.com`)).status).toBe(303);
  service.child.kill('SIGKILL');
  await service.ended;
  await start();
  const refused = await subscribe('192.0.2.250, 203.0.113.1', 'flood11@example.com');
  expect(refused.status).toBe(429);
  expect(refused.text).toContain('the limit is 10 in 10 minutes');
  expect((await subscribe('203.0.113.1', 'flood12@example.com', 'two')).status).toBe(429);
  expect((await subscribe('203.0.113.2', 'honest@example.com')).status).toBe(303);
  await eventually(() => expect(sentTo(/^honest@/)).toHaveLength(1));
  expect(sentTo(/^flood1[12]@/)).toEqual([]);
});

it('counts an IPv6 host by its network', async () => {
  for (let n = 0; n < 10; n += 1) await subscribe(`2001:db8::${n}`, `six${n}@example.com`, 'two');
  expect((await subscribe('2001:db8::ffff:1', 'six11@example.com', 'two')).status).toBe(429);
  expect((await subscribe('2001:db8:0:1::1', 'seven@example.com', 'two')).status).toBe(303);
});

it('bounds many clients together, and lets in who comes from elsewhere', async () => {
  let taken = 0;
  for (let n = 0; n < 150; n += 1) {
    const { status } = await subscribe(`172.20.0.${n}`, `many${n}@example.com`, 'many');
    if (status === 303) taken += 1;
  }
  expect(taken).toBe(100);
  expect((await subscribe('172.20.1.1', 'elsewhere@example.com', 'many')).status).toBe(303);
  expect((await subscribe('172.20.1.2', 'neighbour@example.com', 'many')).status).toBe(429);
  await eventually(() => expect(sentTo(/^elsewhere@/)).toHaveLength(1));
  expect((await fetch(`${url}/health`)).status).toBe(200);
});
