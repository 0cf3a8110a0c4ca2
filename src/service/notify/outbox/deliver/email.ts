/** Delivers e-mail to the SMTP server that the operator configured. */

import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import { decodePercent } from '../../../../base/decode-percent.ts';
import { UsageError } from '../../../../base/errors.ts';
import { isUrl } from '../../../../base/parse-url.ts';
import type { EmailMessage } from '../../facts/message.ts';
import {
  DELIVERED,
  type DeliveryContext,
  type DeliveryResult,
  failForGood,
  formatDeliveryError,
  retryLater,
  startIdleTimer,
} from './delivery.ts';

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** Implicit TLS; otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
  /** Refuse to send without TLS. */
  readonly requireTls: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly from: string;
  /** Additional trusted certificates, PEM. */
  readonly ca?: string | undefined;
}

/** Commands whose refusal with 5xx is final. One before them is about the server or its account, which the operator mends. */
const ABOUT_THE_MESSAGE: ReadonlySet<string> = new Set(['RCPT TO', 'DATA']);
const NOT_CONFIGURED = 'no SMTP server is configured: set SONDE_SMTP_URL and restart the service';
/** Timeouts of the server's greeting and of the whole message, in ms. */
export interface MailTimeouts {
  readonly greetingMs: number;
  readonly messageMs: number;
}
/** Giving up a message that the server has accepted sends it twice (RFC 5321, 4.5.3.2.6), so the timeout is long. */
const DEFAULT_TIMEOUTS: MailTimeouts = { greetingMs: 10_000, messageMs: 60_000 };
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

const isThisMachine = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * Parses `smtp://user:password@host:port` (STARTTLS if offered, required if a password goes to another machine) or
 * `smtps://…`. @throws UsageError, which never shows the URL because it may contain a password.
 */
export function parseMailUrl(text: string, from?: string): MailSettings {
  const createError = (what: string) =>
    new UsageError(`SONDE_SMTP_URL ${what}`, {
      hint: 'for example smtp://user:password@mail.example.com:587',
    });
  if (!isUrl(text)) throw createError('is not a valid URL');
  const url = new URL(text);
  const { protocol } = url;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw createError('must start with smtp:// or smtps://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === '') throw createError('has no host');
  const [user, password] = [decodePercent(url.username), decodePercent(url.password)];
  if (user === undefined || password === undefined)
    throw createError('has an invalid % in its user or password: write a literal % as %25');
  return {
    host,
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    secure: protocol === 'smtps:',
    requireTls: password !== '' && !isThisMachine(host),
    ...(user === '' ? {} : { user, password }),
    from: from ?? `sonde@${isIP(host) === 0 ? host : 'localhost'}`,
  };
}

/** Returns the same ID for the same message, so that a mailbox can detect duplicates. */
export function createMessageId(key: string, from: string): string {
  const domain = domainToASCII(/@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? '') || 'localhost';
  return `<${createHash('sha256').update(key).digest('hex').slice(0, 40)}@${domain}>`;
}

/** A character outside ASCII before the @ of an address. A domain needs no extension: nodemailer encodes it as punycode. */
const NOT_ASCII_MAILBOX = /[^\p{ASCII}][^\s<>@]*@/u;

/** Follows the dialogue with the server, to know whether it offered SMTPUTF8 in its last greeting. */
function watchExtensions() {
  let offersUtf8 = false;
  const ignore = () => {};
  const debug = (entry: unknown, text: unknown) => {
    const { tnx } = entry as { readonly tnx?: string };
    if (tnx === 'client' && /^EHLO\b/i.test(String(text))) offersUtf8 = false;
    if (tnx === 'server' && /^250[ -]SMTPUTF8\b/im.test(String(text))) offersUtf8 = true;
  };
  const levels = { trace: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };
  return { logger: { level: ignore, debug, ...levels }, offersUtf8: () => offersUtf8 };
}

async function hasUtf8(
  transport: ReturnType<typeof createTransport>,
  { offersUtf8 }: ReturnType<typeof watchExtensions>,
): Promise<boolean> {
  await transport.verify();
  return offersUtf8();
}

export async function deliverEmail(
  message: EmailMessage,
  settings: MailSettings | undefined,
  { idempotencyKey, signal }: DeliveryContext,
  { greetingMs, messageMs }: MailTimeouts = DEFAULT_TIMEOUTS,
): Promise<DeliveryResult> {
  if (settings === undefined) return failForGood(NOT_CONFIGURED);
  const { host, port, secure, requireTls, user, password, from, ca } = settings;
  const extensions = watchExtensions();
  const unusual = [message.to, from].find((address) => NOT_ASCII_MAILBOX.test(address));
  const transport = createTransport({
    ...(unusual === undefined ? {} : { logger: extensions.logger, transactionLog: true }),
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    // Only until the greeting. After it the idle timer applies: nodemailer's own timeout can fire before it reads data.
    connectionTimeout: greetingMs,
    greetingTimeout: greetingMs,
    dnsTimeout: greetingMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const timeout = new AbortController();
  const idleTimer = startIdleTimer(messageMs, () => timeout.abort());
  try {
    // nodemailer would send such an address also to a server that cannot read it.
    if (unusual !== undefined && !(await hasUtf8(transport, extensions)))
      return failForGood(
        `the mail server does not support SMTPUTF8, which the address ${unusual} needs: use an address with ASCII letters before the @`,
      );
    await transport.sendMail({
      from,
      signal: AbortSignal.any([signal, timeout.signal]),
      to: { name: '', address: message.to },
      subject: message.subject,
      text: message.text,
      html: message.html,
      messageId: createMessageId(idempotencyKey, from),
      headers: { 'Auto-Submitted': 'auto-generated', ...message.headers },
    });
    return DELIVERED;
  } catch (error) {
    const { responseCode = 0, command = '' } = error as {
      readonly responseCode?: number;
      readonly command?: string;
    };
    if (timeout.signal.aborted && !signal.aborted)
      return retryLater(`the mail server did not accept the message within ${messageMs / 1000} s`);
    const reason = formatDeliveryError(error, password ? [`\0${user}\0${password}`, password] : []);
    const isFinal = responseCode >= 500 && ABOUT_THE_MESSAGE.has(command);
    return isFinal ? failForGood(reason) : retryLater(reason);
  } finally {
    idleTimer.stop();
    transport.close();
  }
}
