/** Schemas of checks that send one HTTP request: URL checks evaluate the status, API checks the whole response. */
import type { AssertionSource } from '../../endpoint.ts';
import { API_BODY_TYPES, API_METHODS, URL_METHODS } from '../../enumerations.ts';
import { allOptional, array, boolean, closed, nullable, oneOf, secret, string } from '../../schema.ts';
import { assertions, keyValuePair, localScript, snippetId } from '../shared.ts';
import {
  commonFields,
  environmentVariablesOf,
  ipFamily,
  OF_GAPS,
  responseTimes,
  schemasOf,
  sendTraceparent,
  uptimeSchedule,
} from './common.ts';

const connection = {
  followRedirects: boolean('Whether redirects are followed', {
    default: true,
    'x-gaps': ['default'],
  }),
  skipSSL: boolean('Whether TLS certificate validation is skipped', {
    default: false,
    'x-gaps': ['default'],
  }),
  ipFamily,
};
const LONGEST_URL = 2048;

const urlSources = {
  STATUS_CODE: {
    meaning: 'HTTP status code, such as 200',
  },
} satisfies Record<string, AssertionSource>;

export const apiSources = {
  STATUS_CODE: {
    meaning: 'HTTP status code, such as 200',
    help: 'HTTP status code; the only source of URL checks',
  },
  JSON_BODY: {
    meaning: 'value in the JSON body, selected by JSONPath',
    help: 'Body as JSON; select a part with a JSONPath in parentheses',
    property: '$.status',
  },
  HEADERS: {
    meaning: 'response header',
    help: 'Response header, with its name in parentheses',
    property: 'content-type',
  },
  TEXT_BODY: {
    meaning: 'response body as text',
    help: 'Body as text',
  },
  RESPONSE_TIME: {
    meaning: 'response time in milliseconds',
    help: 'Response time in milliseconds',
  },
} satisfies Record<string, AssertionSource>;

const urlRequest = closed(
  {
    url: string('URL to request', {
      minLength: 1,
      maxLength: LONGEST_URL,
      pattern: '^[hH][tT][tT][pP][sS]?://',
      'x-gaps': ['minLength', 'maxLength', 'pattern'],
    }),
    ...allOptional({
      method: oneOf(URL_METHODS, 'HTTP method', { default: 'GET', 'x-gaps': ['enum', 'default'] }),
      ...connection,
      assertions: assertions(urlSources, 'Assertions on the response'),
    }),
  },
  { title: 'UrlRequest', description: 'HTTP request and assertions' },
);
const urlFields = {
  ...uptimeSchedule,
  sendTraceparent,
  ...responseTimes({ degraded: 3000, most: 5000, maximum: 30_000 }, OF_GAPS),
};

export const urlCheck = {
  sources: urlSources,
  ...schemasOf(
    { type: 'URL', title: 'UrlCheck' },
    { request: urlRequest },
    { ...commonFields, ...urlFields },
  ),
};

/** A base URL of the group or a variable may complete the address at run time. */
const apiRequest = closed(
  {
    url: string("URL to request; a relative URL is resolved against the base URL of the check's group", {
      maxLength: LONGEST_URL,
      'x-gaps': ['maxLength'],
    }),
    ...allOptional({
      method: oneOf(API_METHODS, 'HTTP method', {
        default: 'GET',
        'x-sent': 'GET',
        'x-gaps': ['enum', 'default'],
      }),
      headers: array(keyValuePair, 'Request headers'),
      queryParameters: array(keyValuePair, 'Query parameters'),
      body: nullable(string('Request body')),
      bodyType: oneOf(API_BODY_TYPES, 'Type of the request body', {
        default: 'NONE',
        'x-gaps': ['enum', 'default'],
      }),
      ...connection,
      basicAuth: nullable(
        closed(
          allOptional({
            username: string('Username'),
            password: secret('omitted', 'Password'),
          }),
          { title: 'BasicAuth', description: 'Basic authentication' },
        ),
      ),
      assertions: assertions(apiSources, 'Assertions on the response'),
    }),
  },
  { title: 'ApiRequest', description: 'HTTP request and assertions' },
);
const apiFields = {
  ...uptimeSchedule,
  sendTraceparent,
  ...responseTimes({ degraded: 10_000, most: 20_000, maximum: 30_000 }, OF_GAPS),
  environmentVariables: environmentVariablesOf('Environment variables of the request and its scripts'),
  setupSnippetId: snippetId('setup'),
  tearDownSnippetId: snippetId('teardown'),
  localSetupScript: localScript('setup'),
  localTearDownScript: localScript('teardown'),
};

export const apiCheck = {
  sources: apiSources,
  ...schemasOf(
    { type: 'API', title: 'ApiCheck' },
    { request: apiRequest },
    { ...commonFields, ...apiFields },
  ),
};
