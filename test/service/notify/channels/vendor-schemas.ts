/**
 * What the APIs of vendors accept, reduced from their documentation to JSON Schema: required fields, values and lengths. Bodies are
 * closed, so that a misspelled field fails.
 */
import { Ajv } from 'ajv';

const text = (maxLength: number, minLength = 1) => ({ type: 'string', minLength, maxLength });
const object = (required: readonly string[], properties: object, more: object = {}) => ({
  type: 'object',
  required,
  properties,
  additionalProperties: false,
  ...more,
});
const list = (items: object, maxItems: number, minItems = 0) => ({
  type: 'array',
  items,
  maxItems,
  minItems,
});
const uri = { type: 'string', pattern: '^https?://' };
const instant = { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z$' };

/** Events API v2: https://developer.pagerduty.com/docs/send-alert-event. */
const pagerdutyKeys = { routing_key: text(255), dedup_key: text(255) };
const pagerduty = {
  oneOf: [
    object(['routing_key', 'event_action', 'dedup_key'], {
      ...pagerdutyKeys,
      event_action: { enum: ['acknowledge', 'resolve'] },
    }),
    object(['routing_key', 'event_action', 'payload'], {
      ...pagerdutyKeys,
      event_action: { const: 'trigger' },
      client: text(255),
      client_url: uri,
      links: list(object(['href'], { href: uri, text: text(255) }), 50),
      payload: object(['summary', 'source', 'severity'], {
        summary: text(1024),
        source: text(1024),
        severity: { enum: ['critical', 'warning', 'error', 'info'] },
        timestamp: instant,
        component: text(1024),
        group: text(1024),
        class: text(1024),
        custom_details: { type: 'object' },
      }),
    }),
  ],
};

/** Alert API: https://docs.opsgenie.com/docs/alert-api. */
const opsgenie = object(['message'], {
  message: text(130),
  alias: text(512),
  description: text(15_000),
  tags: list(text(50), 20),
  details: { type: 'object', additionalProperties: { type: 'string' } },
  entity: text(512),
  source: text(100),
  priority: { enum: ['P1', 'P2', 'P3', 'P4', 'P5'] },
});
const opsgenieClose = object([], { user: text(100), source: text(100), note: text(25_000) });

/** Block Kit: https://docs.slack.dev/reference/block-kit. Only plain text is allowed here. */
const plain = (maxLength: number) =>
  object(['type', 'text', 'emoji'], {
    type: { const: 'plain_text' },
    text: text(maxLength),
    emoji: { const: false },
  });
const blocks = list(
  {
    oneOf: [
      object(['type', 'text'], { type: { const: 'header' }, text: plain(150) }),
      object(['type', 'text'], { type: { const: 'section' }, text: plain(3000) }),
      object(['type', 'fields'], { type: { const: 'section' }, fields: list(plain(2000), 10, 1) }),
      object(['type', 'elements'], {
        type: { const: 'actions' },
        elements: list(
          object(['type', 'text'], {
            type: { const: 'button' },
            text: plain(75),
            url: { ...uri, maxLength: 3000 },
          }),
          25,
          1,
        ),
      }),
    ],
  },
  50,
  1,
);
const slackFields = { text: text(4000), mrkdwn: { const: false }, blocks };
const slack = object(['text', 'blocks', 'mrkdwn'], slackFields);
const slackApp = object(['channel', 'text', 'blocks', 'mrkdwn'], {
  ...slackFields,
  channel: text(80),
  thread_ts: { type: 'string', pattern: '^\\d{10}\\.\\d{6}$' },
  unfurl_links: { const: false },
  unfurl_media: { const: false },
});

/** Adaptive Cards 1.4: https://adaptivecards.io/explorer. Texts are text runs, which have no Markdown. */
const richText = object(['type', 'inlines'], {
  type: { const: 'RichTextBlock' },
  inlines: list(
    object(['type', 'text'], {
      type: { const: 'TextRun' },
      text: { type: 'string', minLength: 1 },
      size: { enum: ['Small', 'Default', 'Medium', 'Large', 'ExtraLarge'] },
      weight: { enum: ['Lighter', 'Default', 'Bolder'] },
      fontType: { enum: ['Default', 'Monospace'] },
    }),
    50,
    1,
  ),
});
const card = object(['type', 'version', 'body'], {
  $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
  type: { const: 'AdaptiveCard' },
  version: { enum: ['1.2', '1.3', '1.4'] },
  body: list(
    {
      oneOf: [
        richText,
        object(['type', 'items'], {
          type: { const: 'Container' },
          items: list(richText, 10, 1),
          style: { enum: ['default', 'emphasis', 'good', 'attention', 'warning', 'accent'] },
          bleed: { type: 'boolean' },
        }),
      ],
    },
    100,
    1,
  ),
  actions: list(
    object(['type', 'title', 'url'], { type: { const: 'Action.OpenUrl' }, title: text(100), url: uri }),
    6,
  ),
});
const msteams = object(['type', 'attachments'], {
  type: { const: 'message' },
  attachments: list(
    object(['contentType', 'content'], {
      contentType: { const: 'application/vnd.microsoft.card.adaptive' },
      contentUrl: { type: 'null' },
      content: card,
    }),
    1,
    1,
  ),
});

/** Execute webhook: https://discord.com/developers/docs/resources/webhook. */
const discord = object(['embeds', 'allowed_mentions'], {
  content: text(2000),
  allowed_mentions: object(['parse'], { parse: list({ type: 'string' }, 0) }),
  embeds: list(
    object(['title'], {
      title: text(256),
      description: text(4096),
      url: uri,
      timestamp: instant,
      color: { type: 'integer', minimum: 0, maximum: 0xff_ff_ff },
      fields: list(
        object(['name', 'value'], { name: text(256), value: text(1024), inline: { type: 'boolean' } }),
        25,
      ),
    }),
    10,
    1,
  ),
});

/** sendMessage: https://core.telegram.org/bots/api#sendmessage. */
const telegram = object(['chat_id', 'text'], {
  chat_id: { type: ['integer', 'string'] },
  message_thread_id: { type: 'integer' },
  text: { type: 'string', minLength: 1 },
  parse_mode: { enum: ['HTML', 'MarkdownV2'] },
  link_preview_options: object([], { is_disabled: { type: 'boolean' } }),
});

/** Publish as JSON: https://docs.ntfy.sh/publish/#publish-as-json. */
const ntfy = object(['topic'], {
  topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
  title: text(250),
  message: { type: 'string' },
  priority: { type: 'integer', minimum: 1, maximum: 5 },
  tags: list({ type: 'string' }, 5),
  click: uri,
});

const SCHEMAS = { pagerduty, opsgenie, opsgenieClose, slack, slackApp, msteams, discord, telegram, ntfy };
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
const validators = new Map(Object.entries(SCHEMAS).map(([name, schema]) => [name, ajv.compile(schema)]));

/** Returns why a vendor rejects a body by its schema; none if it accepts it. */
export function schemaProblems(name: keyof typeof SCHEMAS, body: unknown): readonly string[] {
  const validate = validators.get(name);
  if (validate === undefined || validate(body)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
