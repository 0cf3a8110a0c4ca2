/** Where alerts arrive: a receiver of webhooks and a mail server that sometimes refuse, hang or fail. What was taken is kept. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type MailServer, type ReceivedMail, startMailServer } from '../mail/smtp-server.ts';

/** One that was received and acknowledged: under which key, and when (ms since the epoch). */
export interface Reception {
  /** The idempotency key of a webhook, the Message-ID of a mail. */
  readonly key: string;
  readonly at: number;
}

export interface Receivers {
  readonly url: string;
  readonly smtpPort: number;
  /** Those that were acknowledged, in their order. */
  readonly taken: readonly Reception[];
  /** How often a receiver misbehaved, by how. */
  readonly misbehaved: Readonly<Record<string, number>>;
  /** From now on each is taken at once. */
  calm(): void;
  close(): Promise<void>;
}

type Misbehaviour = 'answers 500' | 'refuses' | 'hangs';
const MISBEHAVIOURS: readonly Misbehaviour[] = ['answers 500', 'refuses', 'hangs'];
/** Share of what arrives that is not taken at once, and how often at most the same message is not. */
const SHARE = 0.25;
const MOST = 2;

export async function startReceivers(): Promise<Receivers> {
  const taken: Reception[] = [];
  const misbehaved: Record<string, number> = {};
  const turnedAway = new Map<string, number>();
  let isCalm = false;

  function misbehaves(key: string, most: number): boolean {
    const times = turnedAway.get(key) ?? 0;
    if (isCalm || times >= most || Math.random() >= SHARE) return false;
    turnedAway.set(key, times + 1);
    return true;
  }
  const count = (how: string) => {
    misbehaved[how] = (misbehaved[how] ?? 0) + 1;
  };

  const hanging = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      const key = String(request.headers['idempotency-key']);
      if (!misbehaves(key, MOST)) {
        taken.push({ key, at: Date.now() });
        response.end('{}');
        return;
      }
      const how = MISBEHAVIOURS[Math.floor(Math.random() * MISBEHAVIOURS.length)] ?? 'refuses';
      count(`webhook ${how}`);
      if (how === 'answers 500') response.writeHead(500).end();
      else if (how === 'refuses') request.destroy();
      else hanging.add(response);
    });
    request.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  const mail: MailServer = await startMailServer({
    judge(received: ReceivedMail) {
      const key = messageIdIn(received);
      // A mail is tried again after a minute: once is enough.
      if (misbehaves(key, 1)) {
        count('mail server refuses');
        return Object.assign(new Error('come again later'), { responseCode: 451 });
      }
      taken.push({ key, at: Date.now() });
      return undefined;
    },
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    smtpPort: mail.port,
    ...{ taken, misbehaved },
    calm() {
      isCalm = true;
    },
    async close() {
      server.closeAllConnections();
      await Promise.all([new Promise((resolve) => server.close(resolve)), mail.close()]);
    },
  };
}

const messageIdIn = ({ raw }: ReceivedMail): string => /^message-id:\s*(<[^>]+>)/im.exec(raw)?.[1] ?? '';
