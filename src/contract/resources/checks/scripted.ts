/** Schemas of checks that run a script: browser checks (specification: Browser check) and multi-step checks. */
import { SCRIPTED_FREQUENCIES } from '../../enumerations.ts';
import { allOptional, closed, nullable, oneOfNumbers, string } from '../../schema.ts';
import { environmentVariables } from '../shared.ts';
import {
  answerOf,
  changeOf,
  checkName,
  commonFields,
  dependencies,
  schemasOf,
  scriptPath,
  sendTraceparent,
} from './common.ts';
import { playwrightConfig } from './playwright-config.ts';

/** Frequencies of scripted checks: at least one minute. */
export const scriptedFrequency = oneOfNumbers(SCRIPTED_FREQUENCIES, 'Minutes between runs', {
  default: 10,
  'x-unit': 'minutes',
  'x-values': 'frequencies',
});

/** A host name or an address, with or without a port; may be empty. */
const SSL_CHECK_DOMAIN =
  '^(?:|(?:[A-Za-z0-9_.-]+|\\[[0-9A-Fa-f:]+\\])(?::(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5]))?)$';

const scriptedFields = {
  frequency: scriptedFrequency,
  environmentVariables,
  scriptPath,
  dependencies,
  playwrightConfig,
};
const browserFields = {
  ...scriptedFields,
  sendTraceparent,
  sslCheckDomain: nullable(
    string('Fully qualified domain name whose TLS certificate is checked', {
      maxLength: 260,
      pattern: SSL_CHECK_DOMAIN,
      'x-gaps': ['maxLength', 'pattern'],
    }),
  ),
};
const browserScript = nullable(string('Node.js code that drives a browser with Playwright'));

/** Body of endpoint 3. */
const browserCheckBody = closed(
  { name: checkName, script: browserScript, ...allOptional(commonFields), ...allOptional(browserFields) },
  { title: 'BrowserCheckRequest' },
);
const browserCheckAnswer = answerOf(
  { type: 'BROWSER', title: 'BrowserCheck' },
  { script: browserScript, ...allOptional(commonFields), ...allOptional(browserFields) },
);
export const browserCheck = {
  body: browserCheckBody,
  answer: browserCheckAnswer,
  change: changeOf(browserCheckBody, 'BrowserCheckChange'),
};

const multiStepScript = string("Node.js code that makes requests with Playwright's request API", {
  minLength: 1,
  'x-gaps': ['minLength'],
});

export const multiStepCheck = schemasOf(
  { type: 'MULTI_STEP', title: 'MultiStepCheck' },
  { script: multiStepScript },
  { ...commonFields, ...scriptedFields },
);
