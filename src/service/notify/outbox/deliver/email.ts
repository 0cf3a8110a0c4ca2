/** Delivers e-mail to the SMTP server that the operator configured. */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { UsageError } from '../../../../base/errors.ts';
import type { EmailMessage } from '../message.ts';
import {
  DELIVERED,
  type DeliveryContext,
  type DeliveryResult,
  failForGood,
  formatDeliveryError,
  retryLater,
} from './delivery.ts';
import { startIdleTimer } from './idle-timer.ts';

/** The mail server, and who the mail is from. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  readonly secure: boolean;
  /** No mail leaves without TLS. */
  readonly requireTls: boolean;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly from: string;
  /** Certificates to trust besides the usual ones, PEM. */
  readonly ca?: string | undefined;
}

const UNSET = 'no SMTP server is configured: set SONDE_SMTP_URL and restart the service';
/** How long to wait for the server's greeting, and for it to have taken a message, in ms. */
export interface MailTimeouts {
  readonly greetingMs: number;
  readonly messageMs: number;
}
/** Whoever gives up too soon what a server has taken sends it twice (RFC 5321, 4.5.3.2.6): within a claim it gets long. */
const PATIENCE: MailTimeouts = { greetingMs: 10_000, messageMs: 60_000 };
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;

const isThisMachine = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * The settings of `smtp://user:password@host:port` (STARTTLS where it is offered, and always where a password goes to
 * another machine) or `smtps://…`. @throws UsageError, which never shows the address: a password may be in it.
 */
export function parseMailUrl(written: string, from?: string): MailSettings {
  const wrong = (what: string) =>
    new UsageError(`SONDE_SMTP_URL ${what}`, {
      hint: 'for example smtp://user:password@mail.example.com:587',
    });
  if (!URL.canParse(written)) throw wrong('is not a valid URL');
  const url = new URL(written);
  const { protocol } = url;
  if (protocol !== 'smtp:' && protocol !== 'smtps:') throw wrong('must start with smtp:// or smtps://');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (host === '') throw wrong('has no host');
  let user: string;
  let password: string;
  try {
    [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  } catch {
    throw wrong('has an invalid % in its user or password: write a literal % as %25');
  }
  return {
    host,
    port: url.port === '' ? PORTS[protocol] : Number(url.port),
    secure: protocol === 'smtps:',
    requireTls: password !== '' && !isThisMachine(host),
    ...(user === '' ? {} : { user, password }),
    from: from ?? `sonde@${isIP(host) === 0 ? host : 'localhost'}`,
  };
}

/** The same for the same message, so that a mailbox knows one that comes twice. */
export function createMessageId(key: string, from: string): string {
  const domain = /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${createHash('sha256').update(key).digest('hex').slice(0, 40)}@${domain}>`;
}

export async function deliverEmail(
  message: EmailMessage,
  settings: MailSettings | undefined,
  { idempotencyKey, signal }: DeliveryContext,
  { greetingMs, messageMs }: MailTimeouts = PATIENCE,
): Promise<DeliveryResult> {
  if (settings === undefined) return failForGood(UNSET);
  const { host, port, secure, requireTls, user, password, from, ca } = settings;
  const transport = createTransport({
    host,
    port,
    secure,
    requireTLS: requireTls,
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    ...(ca === undefined ? {} : { tls: { ca } }),
    // Nothing is sent before the greeting. From there on the time is kept here: nodemailer's runs out before it reads.
    connectionTimeout: greetingMs,
    greetingTimeout: greetingMs,
    dnsTimeout: greetingMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const late = new AbortController();
  const patience = startIdleTimer(messageMs, () => late.abort());
  try {
    await transport.sendMail({
      from,
      signal: AbortSignal.any([signal, late.signal]),
      to: { name: '', address: message.to },
      subject: message.subject,
      text: message.text,
      html: message.html,
      messageId: createMessageId(idempotencyKey, from),
      headers: { 'Auto-Submitted': 'auto-generated', ...message.headers },
    });
    return DELIVERED;
  } catch (error) {
    const { responseCode = 0 } = error as { readonly responseCode?: number };
    if (late.signal.aborted && !signal.aborted)
      return retryLater(`the mail server did not accept the message within ${messageMs / 1000} s`);
    const told = formatDeliveryError(error, password ? [`\0${user}\0${password}`, password] : []);
    // The server has said no for good; 4xx and what the network did may be otherwise later.
    return responseCode >= 500 ? failForGood(told) : retryLater(told);
  } finally {
    patience.stop();
    transport.close();
  }
}
