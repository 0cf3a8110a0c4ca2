/** Checks that make one HTTP request: URL checks look whether it is answered, API checks at all of the answer. */
import {
  API_ASSERTION_SOURCES,
  API_BODY_TYPES,
  API_METHODS,
  URL_ASSERTION_SOURCES,
  URL_METHODS,
} from '../../enumerations.ts';
import { allOptional, array, boolean, closed, nullable, oneOf, optional, string } from '../../schema.ts';
import { assertions, localScript, snippetId } from '../shared.ts';
import {
  commonFields,
  environmentVariablesOf,
  ipFamily,
  OF_GAPS,
  responseTimes,
  schemasOf,
  uptimeSchedule,
} from './common.ts';

const connection = {
  followRedirects: boolean('Whether it follows redirects, or judges the first answer', {
    default: true,
    'x-gaps': ['default'],
  }),
  skipSSL: boolean('Whether any TLS certificate is accepted', { default: false, 'x-gaps': ['default'] }),
  ipFamily,
};
const LONGEST_URL = 2048;

const urlRequest = closed(
  {
    url: string('Address that is asked for', {
      minLength: 1,
      maxLength: LONGEST_URL,
      pattern: '^[hH][tT][tT][pP][sS]?://',
      'x-gaps': ['minLength', 'maxLength', 'pattern'],
    }),
    ...allOptional({
      method: oneOf(URL_METHODS, 'HTTP method', { default: 'GET', 'x-gaps': ['enum', 'default'] }),
      ...connection,
      assertions: assertions(URL_ASSERTION_SOURCES, 'Assertions on the response'),
    }),
  },
  { title: 'UrlRequest', description: 'What is asked for, and what must hold of the answer' },
);
const urlFields = {
  ...uptimeSchedule,
  ...responseTimes({ degraded: 3000, most: 5000, maximum: 30_000 }, OF_GAPS),
};

export const urlCheck = schemasOf(
  { type: 'URL', title: 'UrlCheck' },
  { request: urlRequest },
  { ...commonFields, ...urlFields },
);

const requestPair = closed(
  {
    key: string('Name'),
    value: string('Value', { writeOnly: true }),
    locked: optional(boolean('Whether answers leave the value out')),
  },
  { title: 'RequestPair' },
);

/** Where a group has a base URL, or a variable is named, the address is whole only at run time. */
const apiRequest = closed(
  {
    url: string("Address that is asked; below the base URL of the check's group, where it has one", {
      maxLength: LONGEST_URL,
      'x-gaps': ['maxLength'],
    }),
    ...allOptional({
      method: oneOf(API_METHODS, 'HTTP method', { default: 'GET', 'x-gaps': ['enum', 'default'] }),
      headers: array(requestPair, 'Headers that are sent'),
      queryParameters: array(requestPair, 'Query parameters that are sent'),
      body: nullable(string('Body that is sent')),
      bodyType: oneOf(API_BODY_TYPES, 'What the body is', { default: 'NONE', 'x-gaps': ['enum', 'default'] }),
      ...connection,
      basicAuth: nullable(
        closed(
          allOptional({
            username: string('User name'),
            password: string('Password', { writeOnly: true }),
          }),
          { title: 'BasicAuth', description: 'Basic authentication' },
        ),
      ),
      assertions: assertions(API_ASSERTION_SOURCES, 'Assertions on the response'),
    }),
  },
  { title: 'ApiRequest', description: 'What is asked, and what must hold of the answer' },
);
const apiFields = {
  ...uptimeSchedule,
  ...responseTimes({ degraded: 10_000, most: 20_000, maximum: 30_000 }, OF_GAPS),
  environmentVariables: environmentVariablesOf('Variables that the request and its scripts may name'),
  setupSnippetId: snippetId('setup'),
  tearDownSnippetId: snippetId('teardown'),
  localSetupScript: localScript('setup'),
  localTearDownScript: localScript('teardown'),
};

export const apiCheck = schemasOf(
  { type: 'API', title: 'ApiCheck' },
  { request: apiRequest },
  { ...commonFields, ...apiFields },
);
