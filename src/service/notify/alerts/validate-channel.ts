/** Validates the config of an alert channel, so that undeliverable channels are rejected when they are saved. */

import { parseEmailHost, parseWebUrl } from '../../../base/addresses.ts';
import type { JsonObject } from '../../../base/object.ts';
import type { AlertChannelBody } from '../../store/index.ts';
import { RESERVED_HEADERS } from '../outbox/deliver/http.ts';
import { getContentType } from './render-message.ts';
import { compileTemplate, TemplateError, validateRenderedBody } from './template.ts';

export interface ConfigProblem {
  /** Relative to `config`. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const PHONE_NUMBER = /^\+?[0-9][0-9 ()-]{3,24}$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export function validateChannel({
  type,
  config,
}: Pick<AlertChannelBody, 'type' | 'config'>): ConfigProblem[] {
  switch (type) {
    case 'EMAIL':
      return validateField(config, 'address', isEmail, 'must be one e-mail address, such as ops@example.com');
    case 'SMS':
      return validateField(
        config,
        'number',
        isPhoneNumber,
        'must be a telephone number, such as +49 170 1234567',
      );
    case 'SLACK':
      return validateUrl(config);
    case 'WEBHOOK':
      return [
        ...validateUrl(config),
        ...validateMethod(config),
        ...validatePairs(config, 'headers'),
        ...validatePairs(config, 'queryParameters'),
        ...validateTemplateField(config),
      ];
    default:
      return type satisfies never;
  }
}

const isEmail = (text: string): boolean => parseEmailHost(text) !== undefined;
const isPhoneNumber = (text: string): boolean => PHONE_NUMBER.test(text);

function validateField(
  config: JsonObject,
  field: string,
  isValid: (text: string) => boolean,
  message: string,
): ConfigProblem[] {
  const value = config[field];
  return typeof value === 'string' && !isValid(value) ? [{ path: [field], message }] : [];
}

function validateUrl({ url }: JsonObject): ConfigProblem[] {
  if (typeof url !== 'string') return [];
  return parseWebUrl(url) !== undefined
    ? []
    : [{ path: ['url'], message: 'must be a URL that starts with http:// or https://' }];
}

function validateMethod({ method }: JsonObject): ConfigProblem[] {
  if (method === undefined || METHODS.includes(String(method))) return [];
  return [{ path: ['method'], message: `must be one of ${METHODS.join(', ')}` }];
}

function validatePairs(config: JsonObject, field: 'headers' | 'queryParameters'): ConfigProblem[] {
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

function validateTemplateField(config: JsonObject): ConfigProblem[] {
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
