/** Renders alerts as webhooks: JSON, or the channel's template. */
import { parseWebUrl } from '../../../base/addresses.ts';
import type { JsonObject } from '../../../base/object.ts';
import type { AlertFacts } from '../facts/alert-facts.ts';
import type { KeyValue, WebhookMessage } from '../facts/message.ts';
import { asString, type ChannelType, type ConfigProblem, validateSetting } from './channel-type.ts';
import { RESERVED_HEADERS } from './reserved-headers.ts';
import { BodyTooLarge, compileTemplate, getTemplateValues, validateRenderedBody } from './template.ts';
import { TemplateError } from './validate-template.ts';

export const webhook: ChannelType = {
  render: renderWebhook,
  validate: (config) => [
    ...validateUrl(config),
    ...validateSetting(
      config,
      'method',
      (text) => METHODS.includes(text),
      `must be one of ${METHODS.join(', ')}`,
    ),
    ...validatePairs(config, 'headers'),
    ...validatePairs(config, 'queryParameters'),
    ...validateTemplate(config),
    ...validateBodiless(config),
  ],
};

export const validateUrl = (config: JsonObject): readonly ConfigProblem[] =>
  validateSetting(
    config,
    'url',
    (text) => parseWebUrl(text) !== undefined,
    'must be a URL that starts with http:// or https://',
  );

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Published clients send messages to Telegram's API as a form without naming the type. */
const FORM_WEBHOOK = 'WEBHOOK_TELEGRAM';

function renderWebhook(config: JsonObject, facts: AlertFacts): WebhookMessage {
  const { template, webhookSecret: secret, method } = config;
  const contentType = getContentType(config);
  return {
    kind: 'webhook',
    url: asString(config.url),
    method: (asString(method) || 'POST') as NonNullable<WebhookMessage['method']>,
    headers: parsePairs(config.headers),
    queryParameters: parsePairs(config.queryParameters),
    ...renderBody(asString(template), contentType, facts),
    contentType,
    ...(typeof secret === 'string' && secret !== '' ? { secret } : {}),
  };
}

/** Parses the headers or query parameters of a channel. */
function parsePairs(value: unknown): KeyValue[] {
  if (!Array.isArray(value)) return [];
  return value.map((pair: JsonObject | null) => ({ key: asString(pair?.key), value: asString(pair?.value) }));
}

/** Returns the content type from the channel's headers; default JSON. */
function getContentType(config: JsonObject): string {
  const header = parsePairs(config.headers).find(({ key }) => key.toLowerCase() === 'content-type');
  const isForm = config.webhookType === FORM_WEBHOOK;
  return header?.value ?? (isForm ? 'application/x-www-form-urlencoded' : 'application/json');
}

/** Renders the body. A template that is no longer valid must not block the alert; a body that is too large is reported. */
function renderBody(
  template: string,
  contentType: string,
  facts: AlertFacts,
): Pick<WebhookMessage, 'body' | 'problem'> {
  const plain = { body: JSON.stringify(getTemplateValues(facts)) };
  if (template === '') return plain;
  try {
    return { body: compileTemplate(template, contentType)(facts) };
  } catch (error) {
    return error instanceof BodyTooLarge ? { body: '', problem: error.message } : plain;
  }
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function validatePairs(config: JsonObject, field: 'headers' | 'queryParameters'): readonly ConfigProblem[] {
  const value = config[field];
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [{ path: [field], message: 'must be a list of {key, value} objects' }];
  return value.flatMap((pair: JsonObject | null, index) => {
    const key = pair?.key;
    const headerValue = pair?.value;
    const createProblem = (name: string, message: string) => [{ path: [field, index, name], message }];
    if (typeof key !== 'string' || key === '') return createProblem('key', 'must be a non-empty string');
    if (typeof headerValue !== 'string') return createProblem('value', 'must be a string');
    if (field === 'queryParameters') return [];
    if (!HEADER_NAME.test(key)) return createProblem('key', 'must be a valid header name');
    if ((RESERVED_HEADERS as readonly string[]).includes(key.toLowerCase())) {
      return createProblem('key', 'must not be a header that the HTTP connection controls');
    }
    return HEADER_VALUE.test(headerValue)
      ? []
      : createProblem('value', 'must be a single line of Latin-1 characters');
  });
}

/** A GET request has no body, for which a template could be. */
function validateBodiless({ method, template }: JsonObject): readonly ConfigProblem[] {
  if (method !== 'GET' || asString(template) === '') return [];
  const message =
    'must not be set for a GET request, which has no body: use POST, PUT or PATCH, or queryParameters';
  return [{ path: ['template'], message }];
}

function validateTemplate(config: JsonObject): readonly ConfigProblem[] {
  const { template } = config;
  if (template === undefined || template === '' || template === null) return [];
  if (typeof template !== 'string') return [{ path: ['template'], message: 'must be a string' }];
  const contentType = getContentType(config);
  try {
    validateRenderedBody(compileTemplate(template, contentType), contentType);
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return [{ path: ['template'], message: error.message }];
    throw error;
  }
}
