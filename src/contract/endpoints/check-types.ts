/** Endpoints that create and update a check of each type. The specification defines the creation of DNS and browser checks. */
import type { TProperties, TSchema } from 'typebox';
import type { RuleName } from '../endpoint.ts';
import { agenticCheck } from '../resources/checks/agentic.ts';
import { dnsCheck, dnsCheckChange } from '../resources/checks/dns.ts';
import { heartbeatCheck, heartbeatCheckBody, heartbeatCheckChange } from '../resources/checks/heartbeat.ts';
import { icmpCheck, tcpCheck } from '../resources/checks/host.ts';
import { apiCheck, urlCheck } from '../resources/checks/http.ts';
import {
  codeBundle,
  codeBundleBody,
  playwrightCheck,
  wholeCodeBundle,
} from '../resources/checks/playwright.ts';
import { browserCheck, browserCheckChange, multiStepCheck } from '../resources/checks/scripted.ts';
import { string, Type, uuid } from '../schema.ts';
import { autoAssignAlerts, define, pageQuery } from './define.ts';

const resource = 'checks';

interface Row<N extends string, B extends TSchema, R extends TSchema> {
  readonly name: N;
  /** The type in the path, such as `url`. */
  readonly type: string;
  /** The noun with its article, such as `a URL check`. */
  readonly what: string;
  readonly body: B;
  readonly response: R;
  readonly rules?: readonly RuleName[];
}

const creating = <const N extends string, B extends TSchema, R extends TSchema>(row: Row<N, B, R>) => {
  const { name, type, what, body, response, rules = [] } = row;
  return define({
    ...{ name, resource, body, response, rules },
    ...({ method: 'POST', path: `/v1/checks/${type}`, status: 201 } as const),
    summary: `Create ${what}`,
    query: autoAssignAlerts,
  });
};
const changing = <const N extends string, B extends TSchema, R extends TSchema>(row: Row<N, B, R>) => {
  const { name, type, what, body, response, rules = [] } = row;
  return define({
    ...{ name, resource, body, response, rules },
    ...({ method: 'PUT', path: `/v1/checks/${type}/{id}` } as const),
    summary: `Update ${what}`,
    params: { id: uuid('ID of the check') } satisfies TProperties,
  });
};

export const updateDnsCheck = changing({
  ...{ name: 'updateDnsCheck', type: 'dns', what: 'a DNS check', body: dnsCheckChange, response: dnsCheck },
  rules: ['nameServerWithPort', 'assertionTargets'],
});
export const updateBrowserCheck = changing({
  ...{ name: 'updateBrowserCheck', type: 'browser', what: 'a browser check' },
  ...{ body: browserCheckChange, response: browserCheck },
  rules: ['scriptPaths'],
});

const url = { type: 'url', what: 'a URL check', response: urlCheck.answer };
export const createUrlCheck = creating({
  ...{ ...url, name: 'createUrlCheck', body: urlCheck.body },
  rules: ['frequencyOffset', 'assertionTargets'],
});
export const updateUrlCheck = changing({
  ...{ ...url, name: 'updateUrlCheck', body: urlCheck.change },
  rules: ['assertionTargets'],
});

const tcp = { type: 'tcp', what: 'a TCP check', response: tcpCheck.answer };
export const createTcpCheck = creating({
  ...{ ...tcp, name: 'createTcpCheck', body: tcpCheck.body },
  rules: ['frequencyOffset', 'assertionTargets'],
});
export const updateTcpCheck = changing({
  ...{ ...tcp, name: 'updateTcpCheck', body: tcpCheck.change },
  rules: ['assertionTargets'],
});

const icmp = { type: 'icmp', what: 'an ICMP check', response: icmpCheck.answer };
export const createIcmpCheck = creating({
  ...{ ...icmp, name: 'createIcmpCheck', body: icmpCheck.body },
  rules: ['frequencyOffset', 'assertionTargets'],
});
export const updateIcmpCheck = changing({
  ...{ ...icmp, name: 'updateIcmpCheck', body: icmpCheck.change },
  rules: ['assertionTargets'],
});

const api = { type: 'api', what: 'an API check', response: apiCheck.answer };
export const createApiCheck = creating({
  ...{ ...api, name: 'createApiCheck', body: apiCheck.body },
  rules: ['frequencyOffset', 'assertionTargets'],
});
export const updateApiCheck = changing({
  ...{ ...api, name: 'updateApiCheck', body: apiCheck.change },
  rules: ['assertionTargets'],
});

const heartbeat = { type: 'heartbeat', what: 'a heartbeat check', response: heartbeatCheck };
export const createHeartbeatCheck = creating({
  ...{ ...heartbeat, name: 'createHeartbeatCheck', body: heartbeatCheckBody },
  rules: ['heartbeatTimes'],
});
export const updateHeartbeatCheck = changing({
  ...{ ...heartbeat, name: 'updateHeartbeatCheck', body: heartbeatCheckChange },
  rules: ['heartbeatTimes'],
});

const multiStep = { type: 'multistep', what: 'a multi-step check', response: multiStepCheck.answer };
export const createMultiStepCheck = creating({
  ...{ ...multiStep, name: 'createMultiStepCheck', body: multiStepCheck.body },
  rules: ['scriptPaths'],
});
export const updateMultiStepCheck = changing({
  ...{ ...multiStep, name: 'updateMultiStepCheck', body: multiStepCheck.change },
  rules: ['scriptPaths'],
});

const playwright = { type: 'playwright', what: 'a Playwright check', response: playwrightCheck.answer };
export const createPlaywrightCheck = creating({
  ...{ ...playwright, name: 'createPlaywrightCheck', body: playwrightCheck.body },
});
export const updatePlaywrightCheck = changing({
  ...{ ...playwright, name: 'updatePlaywrightCheck', body: playwrightCheck.change },
});

const agentic = { type: 'agentic', what: 'an agentic check', response: agenticCheck.answer };
export const createAgenticCheck = creating({
  ...{ ...agentic, name: 'createAgenticCheck', body: agenticCheck.body },
});
export const updateAgenticCheck = changing({
  ...{ ...agentic, name: 'updateAgenticCheck', body: agenticCheck.change },
});

export const uploadCodeBundle = define({
  name: 'uploadCodeBundle',
  method: 'POST',
  path: '/v1/code-bundles',
  summary: 'Upload the project folder of a Playwright check, unless it already exists',
  resource: 'code bundles',
  body: codeBundleBody,
  response: codeBundle,
  status: 201,
  bodyBytes: 32 * 1024 * 1024,
  // The ID is derived from the bytes, so a repeated upload is harmless.
  safeToRetry: true,
});
export const listCodeBundles = define({
  name: 'listCodeBundles',
  method: 'GET',
  path: '/v1/code-bundles',
  summary: 'List the project folders of Playwright checks, newest first',
  resource: 'code bundles',
  query: pageQuery,
  response: Type.Array(codeBundle),
  paging: 'page',
});
export const getCodeBundle = define({
  name: 'getCodeBundle',
  method: 'GET',
  path: '/v1/code-bundles/{id}',
  summary: 'Get the project folder of a Playwright check',
  resource: 'code bundles',
  params: { id: string('ID of the archive') },
  response: wholeCodeBundle,
});
