/** E-mail against a real SMTP server: what arrives, with and without TLS and a password, and what is said where it does not. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { EmailMessage } from '../../../../src/service/notify/facts/message.ts';
import type { DeliveryContext } from '../../../../src/service/notify/outbox/deliver/delivery.ts';
import {
  createMessageId,
  deliverEmail,
  parseMailUrl,
} from '../../../../src/service/notify/outbox/deliver/email.ts';
import { makeAuthority, needsOpenssl } from '../../../support/fault-proxy/authority.ts';
import {
  type MailServer,
  type MailServerOptions,
  startMailServer,
} from '../../../support/mail/smtp-server.ts';

let server: MailServer | undefined;
afterEach(() => server?.close());

async function started(options?: MailServerOptions): Promise<MailServer> {
  server = await startMailServer(options);
  return server;
}

const message: EmailMessage = {
  ...{
    kind: 'email',
    to: 'ops@example.com',
    subject: 'Failing: Prüfung',
    text: 'Grüße',
    html: '<p>Grüße</p>',
  },
  headers: { 'List-Unsubscribe': '<https://example.com/u>' },
};
const context: DeliveryContext = { idempotencyKey: 'key-1', signal: new AbortController().signal };
const url = ({ port }: MailServer, before = 'smtp://', host = 'localhost') => `${before}${host}:${port}`;

const refusal = (responseCode: number) => Object.assign(new Error('no thanks'), { responseCode });
const withoutTls: MailServerOptions = { disabledCommands: ['STARTTLS'], hideSTARTTLS: true };

describe('an e-mail', () => {
  it('arrives whole: text and HTML, one receiver, and the same Message-ID each time', async () => {
    const mail = await started(withoutTls);
    const settings = parseMailUrl(url(mail), 'Sonde <sonde@example.com>');
    for (const _ of ['once', 'again']) {
      expect(await deliverEmail(message, settings, context)).toEqual({ ok: true });
    }
    const [first, second] = mail.mails;
    expect(first).toMatchObject({ from: 'sonde@example.com', to: ['ops@example.com'], secure: false });
    expect(first?.raw).toContain('Content-Type: multipart/alternative');
    expect(first?.raw).toContain('text/plain; charset=utf-8');
    expect(first?.raw).toContain('text/html; charset=utf-8');
    expect(first?.raw).toContain('List-Unsubscribe: <https://example.com/u>');
    expect(first?.raw).toContain('Auto-Submitted: auto-generated');
    const id = /^Message-ID: (.+)\r$/m.exec(first?.raw ?? '')?.[1];
    expect(id).toBe(createMessageId('key-1', 'sonde@example.com'));
    expect(second?.raw).toContain(`Message-ID: ${id}`);
  });

  const unusual = { ...message, to: 'bücher@exämple.test' };

  it('reaches and comes from addresses outside ASCII where the server offers SMTPUTF8', async () => {
    const mail = await started(withoutTls);
    const settings = parseMailUrl(url(mail), 'Wächter <wächter@exämple.test>');
    expect(await deliverEmail(unusual, settings, context)).toEqual({ ok: true });
    expect(mail.mails).toMatchObject([{ from: 'wächter@exämple.test', to: ['bücher@exämple.test'] }]);
    expect(mail.mails[0]?.raw).toMatch(/^Message-ID: <\w+@xn--exmple-cua\.test>\r$/m);
  });

  it('sends a domain as punycode where the server does not, and fails for good where that is not enough', async () => {
    const mail = await started({ ...withoutTls, hideSMTPUTF8: true });
    const plain = parseMailUrl(url(mail), 'Wächter <sonde@exämple.test>');
    expect(await deliverEmail({ ...message, to: 'books@exämple.test' }, plain, context)).toEqual({
      ok: true,
    });
    // The server of the tests decodes the domains of the envelope.
    expect(mail.mails[0]?.raw).toMatch(/^From: .*<sonde@xn--exmple-cua\.test>\r$/m);
    expect(mail.mails[0]?.raw).toMatch(/^To: books@xn--exmple-cua\.test\r$/m);
    const sender = parseMailUrl(url(mail), 'wächter@exämple.test');
    for (const [sent, settings, address] of [
      [unusual, plain, 'bücher@exämple.test'],
      [message, sender, 'wächter@exämple.test'],
    ] as const)
      expect(await deliverEmail(sent, settings, context)).toMatchObject({
        ...{ ok: false, mayRetry: false },
        error: expect.stringContaining(`does not support SMTPUTF8, which the address ${address} needs`),
      });
    expect(mail.mails).toHaveLength(1);
  });

  it('cannot be given a second receiver or a header by its address or subject', async () => {
    const mail = await started(withoutTls);
    const hostile = {
      ...{ ...message, to: 'ops@example.com, evil@example.com' },
      subject: 'x\r\nBcc: evil@example.com',
    };
    await deliverEmail(hostile, parseMailUrl(url(mail)), context);
    const received = mail.mails.flatMap(({ to }) => to);
    expect(received).not.toContain('evil@example.com');
    expect(mail.mails[0]?.raw ?? '').not.toMatch(/^Bcc:/m);
  });

  it('is tried again after a 4xx and given up after a 5xx, in the words of the server', async () => {
    let code = 451;
    const mail = await started({
      ...withoutTls,
      judge: () => Object.assign(new Error('not now'), { responseCode: code }),
    });
    const settings = parseMailUrl(url(mail));
    expect(await deliverEmail(message, settings, context)).toMatchObject({ ok: false, mayRetry: true });
    code = 550;
    expect(await deliverEmail(message, settings, context)).toMatchObject({
      ...{ ok: false, mayRetry: false },
      error: expect.stringContaining('550 not now'),
    });
  });

  it.each<[string, MailServerOptions, boolean]>([
    ['the greeting', { onConnect: (_, done) => done(refusal(554)) }, true],
    ['AUTH', { onAuth: (_auth, _session, done) => done(refusal(535)) }, true],
    ['MAIL FROM', { onMailFrom: (_address, _session, done) => done(refusal(530)) }, true],
    ['MAIL FROM of a sender that is unknown', { onMailFrom: (_a, _s, done) => done(refusal(550)) }, true],
    ['RCPT TO', { onRcptTo: (_address, _session, done) => done(refusal(550)) }, false],
    ['RCPT TO for now', { onRcptTo: (_address, _session, done) => done(refusal(450)) }, true],
    ['DATA', { judge: () => refusal(554) }, false],
  ])('is tried again where a 5xx is about the server: at %s', async (_, options, mayRetry) => {
    const mail = await started({ ...withoutTls, allowInsecureAuth: true, ...options });
    const delivery = await deliverEmail(message, parseMailUrl(url(mail, 'smtp://me:hunter2@')), context);
    expect(delivery).toMatchObject({ ok: false, mayRetry, error: expect.stringContaining('no thanks') });
  });

  it('is tried again where nobody listens', async () => {
    const gone = await startMailServer();
    await gone.close();
    expect(await deliverEmail(message, parseMailUrl(url(gone)), context)).toMatchObject({
      ...{ ok: false, mayRetry: true },
      error: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('fails where no server is configured, and says what to do', async () => {
    const delivery = await deliverEmail(message, undefined, context);
    expect(delivery).toMatchObject({ ok: false, mayRetry: false });
    expect(delivery).toMatchObject({ error: expect.stringContaining('SONDE_SMTP_URL') });
  });

  it('tells a password that is refused, and never shows it', async () => {
    const mail = await started({
      ...withoutTls,
      allowInsecureAuth: true,
      onAuth: ({ password }, _session, done) => done(new Error(`${password} is wrong`)),
    });
    const delivery = await deliverEmail(message, parseMailUrl(url(mail, 'smtp://me:hunter2@')), context);
    expect(delivery).toMatchObject({ ok: false, error: expect.stringContaining('*** is wrong') });
  });

  it.each([
    ['PLAIN', 'hunter2 and more'],
    ['LOGIN', 'hunter2 and more'],
    ['PLAIN', 'abc'],
    ['LOGIN', 'abc'],
  ])('never shows what a server repeats of AUTH %s, however it was encoded (%s)', async (method, secret) => {
    const plain = Buffer.from(`\0me\0${secret}`);
    const repeated = [
      ...[plain, Buffer.from(secret)].flatMap((bytes) => [
        bytes.toString('base64'),
        bytes.toString('base64url'),
      ]),
      ...[secret, encodeURIComponent(secret)],
    ];
    const mail = await started({
      ...withoutTls,
      ...{ allowInsecureAuth: true, authMethods: [method] },
      onAuth: (_auth, _session, done) => done(new Error(`wrong: ${repeated.join(' or ')}.`)),
    });
    const settings = parseMailUrl(url(mail, `smtp://me:${encodeURIComponent(secret)}@`));
    const delivery = await deliverEmail(message, settings, context);
    const { error } = delivery as { readonly error: string };
    expect(error).toContain('wrong: ***');
    for (const form of repeated) expect(error).not.toContain(form);
  });
});

describe('an e-mail over TLS', () => {
  beforeEach(needsOpenssl);

  /** A server with a certificate of an authority that only `trusting` knows. */
  async function secured(options: MailServerOptions = {}) {
    const authority = await makeAuthority();
    onTestFinished(authority.remove);
    const [key, cert] = await Promise.all(
      ['key', 'pem'].map((kind) => readFile(join(dirname(authority.file), `good.${kind}`))),
    );
    const mail = await started({ disabledCommands: [], key, cert, ...options });
    return { mail, ca: await readFile(authority.file, 'utf8') };
  }

  it('turns to TLS before it shows the password', async () => {
    const { mail, ca } = await secured({ authOptional: false });
    const settings = parseMailUrl(url(mail, 'smtp://me:p%40ss@', '127.0.0.1'));
    expect(await deliverEmail(message, { ...settings, ca }, context)).toEqual({ ok: true });
    expect(mail.mails).toMatchObject([{ secure: true, user: 'me' }]);
  });

  it('speaks TLS from the first byte with smtps', async () => {
    const { mail, ca } = await secured({ secure: true });
    const settings = parseMailUrl(url(mail, 'smtps://', '127.0.0.1'));
    expect(await deliverEmail(message, { ...settings, ca }, context)).toEqual({ ok: true });
    expect(mail.mails).toMatchObject([{ secure: true }]);
  });

  it('does not leave to a server that nobody vouches for', async () => {
    const { mail } = await secured();
    const settings = parseMailUrl(url(mail, 'smtp://me:secret@', '127.0.0.1'));
    const delivery = await deliverEmail(message, settings, context);
    expect(delivery).toMatchObject({ ok: false, error: expect.stringContaining('certificate') });
    expect(mail.mails).toEqual([]);
  });

  it('does not send a password in clear to another machine', async () => {
    expect(parseMailUrl('smtp://me:x@mail.example.com')).toMatchObject({ requireTls: true, port: 587 });
    const mail = await started(withoutTls);
    const settings = { ...parseMailUrl(url(mail, 'smtp://me:x@')), requireTls: true };
    const delivery = await deliverEmail(message, settings, context);
    expect(delivery).toMatchObject({ ok: false, error: expect.stringMatching(/STARTTLS|TLS/) });
    expect(mail.mails).toEqual([]);
  });
});

describe('SONDE_SMTP_URL', () => {
  it.each([
    ['hunter2', 'is not a valid URL'],
    ['http://hunter2@mail', 'must start with'],
    ['smtp://me:100%hunter2@mail', '%25'],
  ])('that is wrong (%s) is refused without being shown', (written, said) => {
    expect(() => parseMailUrl(written)).toThrow(said);
    expect(() => parseMailUrl(written)).not.toThrow('hunter2');
  });
});
