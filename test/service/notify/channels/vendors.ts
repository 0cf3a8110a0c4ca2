/** Receivers that accept what the APIs of vendors accept, and answer as they do. */
import type { ServerResponse } from 'node:http';
import type { renderMessage } from '../../../../src/service/notify/channels/index.ts';
import { answer, type SeenRequest, serveWith } from '../../../support/http.ts';
import { schemaProblems } from './vendor-schemas.ts';

export const SECRETS = {
  slack: '/services/T0/B0/slack-hook-secret',
  msteams: '/workflows/teams-hook-secret',
  discord: '/api/webhooks/1/discord-hook-secret',
  token: 'xoxb-slack-app-secret',
  serviceKey: 'pagerduty-key-secret',
  genieKey: 'opsgenie-key-secret',
  bot: '123456:telegram-bot-secret',
  topic: 'ntfy-topic-secret',
  ntfyToken: 'tk_ntfy-token-secret',
};

const ORIGINS = [
  'https://slack.com',
  'https://events.pagerduty.com',
  'https://events.eu.pagerduty.com',
  'https://api.opsgenie.com',
  'https://api.eu.opsgenie.com',
  'https://api.atlassian.com',
  'https://api.telegram.org',
];

type Body = Record<string, unknown>;
type Answer = Parameters<typeof answer>[1];

interface Vendor {
  readonly accepts: (request: SeenRequest) => boolean;
  readonly problems: (body: Body, request: SeenRequest) => readonly string[];
  readonly answer: (index: number) => Answer;
}

const limit = (what: string, size: number, most: number): readonly string[] =>
  size <= most ? [] : [`${what} is ${size}, at most ${most}`];
const credential = ({ headers }: SeenRequest, wanted: string): readonly string[] =>
  headers.authorization === wanted ? [] : [`authorization is ${headers.authorization}`];
const lengthOf = (value: unknown): number =>
  typeof value === 'string'
    ? value.length
    : Object.values((value ?? {}) as object).reduce((sum: number, one) => sum + lengthOf(one), 0);

/** Reads the HTML of Telegram: its text, and the part that clients may link and mention in. */
export function readTelegramText(text: string): { readonly length: number; readonly open: string } {
  const decode = (html: string) =>
    html
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  const tags = /<\/?(?:b|i|u|s|a|code|pre)(?: href="[^"<>]*")?>/g;
  const open = text.replaceAll(/<(code|pre)>[^<>]*<\/\1>/g, '').replaceAll(tags, '');
  return { length: decode(text.replaceAll(tags, '')).length, open };
}

/** All blocks together: https://github.com/slackapi/bolt-js/issues/2509. */
const slackProblems = (name: 'slack' | 'slackApp') => (body: Body) => [
  ...schemaProblems(name, body),
  ...limit('the text of all blocks', lengthOf(body.blocks), 13_000),
];
const OPSGENIE_PATH = /^(?:\/jsm\/ops\/integration)?\/v2\/alerts(\/[^/?]+\/close\?identifierType=alias)?$/;
const TELEGRAM_PATH = `/bot${SECRETS.bot}/sendMessage`;
const VENDORS: Readonly<Record<string, Vendor>> = {
  slack: {
    accepts: ({ url }) => url === SECRETS.slack,
    problems: slackProblems('slack'),
    answer: () => ({ body: 'ok' }),
  },
  slackApp: {
    accepts: ({ url }) => url === '/api/chat.postMessage',
    problems: (body, request) => [
      ...slackProblems('slackApp')(body),
      ...credential(request, `Bearer ${SECRETS.token}`),
    ],
    answer: (index) => ({ body: { ok: true, channel: 'C1', ts: `1700000000.${100_000 + index}` } }),
  },
  pagerduty: {
    accepts: ({ url }) => url === '/v2/enqueue',
    problems: (body, { body: { length } }) => [
      ...schemaProblems('pagerduty', body),
      ...(body.routing_key === SECRETS.serviceKey ? [] : ['wrong routing key']),
      ...limit('the event', length, 512 * 1024),
    ],
    answer: () => ({ status: 202, body: { status: 'success', message: 'Event processed' } }),
  },
  opsgenie: {
    accepts: ({ url }) => OPSGENIE_PATH.test(url),
    problems: (body, request) => [
      ...schemaProblems(OPSGENIE_PATH.exec(request.url)?.[1] ? 'opsgenieClose' : 'opsgenie', body),
      ...limit('details', lengthOf(body.details), 8000),
      ...credential(request, `GenieKey ${SECRETS.genieKey}`),
    ],
    answer: () => ({ status: 202, body: { result: 'Request will be processed', took: 0.1, requestId: 'r' } }),
  },
  msteams: {
    accepts: ({ url }) => url === SECRETS.msteams,
    problems: (body, request) => [
      ...schemaProblems('msteams', body),
      // Documented are 28 KB; https://www.rubydoc.info/gems/msteams_hermes/MsTeamsHermes/Message measured 21 KB.
      ...limit('the message', Buffer.byteLength(request.body), 21_000),
    ],
    answer: () => ({ status: 202 }),
  },
  discord: {
    accepts: ({ url }) => url === `${SECRETS.discord}?wait=true`,
    problems: (body) => {
      const [embed] = body.embeds as readonly Body[];
      const { title, description, fields } = embed ?? {};
      const texts = (fields as readonly Body[]).map(({ name, value }) => [name, value]);
      return [
        ...schemaProblems('discord', body),
        ...limit('the embed', lengthOf([title, description, texts]), 6000),
      ];
    },
    answer: () => ({ body: { id: '1', type: 0 } }),
  },
  telegram: {
    accepts: ({ url }) => url === TELEGRAM_PATH,
    problems: (body) => {
      const { length, open } = readTelegramText(String(body.text));
      return [
        ...schemaProblems('telegram', body),
        ...limit('the text', length, 4096),
        ...(/[<>]/.test(open) ? ["can't parse entities"] : []),
      ];
    },
    answer: (index) => ({ body: { ok: true, result: { message_id: index } } }),
  },
  ntfy: {
    accepts: ({ url }) => url === '/',
    problems: (body, request) => [
      ...schemaProblems('ntfy', body),
      ...limit('the message', Buffer.byteLength(String(body.message)), 4096),
      // https://github.com/binwiederhier/ntfy/releases/tag/v2.28.0
      ...limit('the title', Buffer.byteLength(String(body.title)), 1024),
      // https://github.com/binwiederhier/ntfy/blob/main/server/server.go: the body has twice the size of a message.
      ...limit('the body', Buffer.byteLength(request.body), 8192),
      ...(body.topic === SECRETS.topic ? [] : ['wrong topic']),
      ...credential(request, `Bearer ${SECRETS.ntfyToken}`),
    ],
    answer: () => ({ body: { id: 'x', event: 'message' } }),
  },
};

export interface Received {
  readonly vendor: string;
  readonly body: Body;
  readonly path: string;
}

/** Starts the receivers. `respond` answers instead of the vendor if it returns an answer. */
export async function startVendors(respond: (request: SeenRequest) => Answer | undefined = () => undefined) {
  const received: Received[] = [];
  const problems: string[] = [];
  const server = await serveWith((request: SeenRequest, response: ServerResponse) => {
    const refusal = respond(request);
    if (refusal) return answer(response, refusal);
    const [name, vendor] = Object.entries(VENDORS).find(([, one]) => one.accepts(request)) ?? [];
    const isJson = request.headers['content-type']?.startsWith('application/json') ?? false;
    if (vendor === undefined || name === undefined || request.method !== 'POST' || !isJson) {
      problems.push(`nothing receives ${request.method} ${request.url}`);
      return answer(response, { status: 404 });
    }
    const body = JSON.parse(request.body) as Body;
    const found = vendor.problems(body, request);
    problems.push(...found.map((problem) => `${name}: ${problem}`));
    received.push({ vendor: name, body, path: request.url });
    return answer(response, found.length > 0 ? { status: 400 } : vendor.answer(received.length));
  });
  const channels = [
    { type: 'SLACK', config: { url: server.url + SECRETS.slack } },
    { type: 'SLACK_APP', config: { token: SECRETS.token, slackChannels: ['#ops'] } },
    { type: 'PAGERDUTY', config: { serviceKey: SECRETS.serviceKey, serviceName: 'Shop', region: 'EU' } },
    { type: 'OPSGENIE', config: { name: 'Ops', apiKey: SECRETS.genieKey, region: 'EU', priority: 'P1' } },
    { type: 'MSTEAMS', config: { url: server.url + SECRETS.msteams } },
    { type: 'DISCORD', config: { url: server.url + SECRETS.discord } },
    { type: 'TELEGRAM', config: { apiKey: SECRETS.bot, chatId: '-1001', messageThreadId: '42' } },
    {
      type: 'NTFY',
      config: { url: server.url, topic: SECRETS.topic, token: SECRETS.ntfyToken, priority: '5' },
    },
  ] satisfies Parameters<typeof renderMessage>[0][];
  const vendorOrigins = Object.fromEntries(ORIGINS.map((origin) => [origin, server.url]));
  return { received, problems, channels, vendorOrigins, requests: server.requests };
}
