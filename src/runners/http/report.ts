/** Formats an HTTP exchange for the result and for the outcome. */
import { plural } from '../../base/plural.ts';
import type { AssertionResult } from '../core/assertion.ts';
import type { Findings } from '../core/conclude.ts';
import { roundMs } from '../network/deadline.ts';
import type { FaultData } from '../network/fault.ts';
import { maskCookies, toHeaderObject } from './headers.ts';
import type { Answer, Header, HttpExchange, Phases, SentRequest } from './types.ts';

const MAX_HEADERS = 100;
const MAX_VALUE_LENGTH = 2000;
const MAX_FAULT_LENGTH = 500;

/** An answer without its body. */
export type Head = Omit<Answer, 'body'>;

export const toHead = ({ body: _, ...head }: Answer): Head => head;

/** Headers that a result never shows. */
const HIDDEN_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Masks secrets before truncation, because a truncated secret is not recognized. */
type Scrub = (text: string) => string;
const unchanged: Scrub = (text) => text;

export function describeRequest(
  request: SentRequest,
  scrub: Scrub = unchanged,
): Readonly<Record<string, unknown>> {
  const { method, url, headers, ipFamily = null, skipSsl = false, followRedirects = true } = request;
  const maskedHeaders = headers.map(
    ([name, value]): Header => [name, HIDDEN_HEADERS.has(name.toLowerCase()) ? '***' : value],
  );
  return {
    method,
    url,
    headers: toStoredHeaders(maskedHeaders, scrub),
    ipFamily,
    skipSSL: skipSsl,
    followRedirects,
  };
}

/** Returns the details of an exchange; `response` has no body. */
export function describeExchange(
  { hops, answer, fault, totalMs }: HttpExchange<Head>,
  scrub: Scrub = unchanged,
): Readonly<Record<string, unknown>> {
  const last = hops.at(-1);
  return {
    response:
      answer === undefined
        ? null
        : {
            url: last?.url ?? null,
            status: answer.status,
            statusText: answer.statusText,
            httpVersion: answer.httpVersion,
            headers: toStoredHeaders(maskCookies(answer.headers), scrub),
            bytes: answer.bytes,
            isCut: answer.incomplete !== undefined,
          },
    address: last?.address ?? null,
    proxy: last?.proxy ?? null,
    tls: last?.tls ? { host: new URL(last.url).host, ...last.tls } : null,
    timing: { ...sumPhases(hops.map(({ phases }) => phases)), total: totalMs },
    redirects: hops.slice(0, -1),
    notes: hops.flatMap(({ notes }) => notes.map(scrub)),
    requestError: fault === undefined ? null : formatFault(fault, scrub),
    errorCode: fault?.code ?? null,
  };
}

/** Converts an exchange for `conclude`. An assertion on the status overrules the rule that it must be below 400. */
export function toFindings(
  { hops, answer, fault, lacksLocation, totalMs }: HttpExchange<Head>,
  assertions: readonly AssertionResult[],
  details: Readonly<Record<string, unknown>>,
  scrub: Scrub,
): Omit<Findings, 'unanswered'> {
  const redirectNote =
    hops.length > 1 && fault !== undefined ? ` (after ${plural(hops.length - 1, 'redirect')})` : '';
  const message = fault === undefined ? [] : [`${formatFault(fault, scrub)}${redirectNote}`];
  const isNetwork = fault?.isNetwork === true;
  const assertsStatus = assertions.some(({ source }) => source === 'STATUS_CODE');
  const isBadStatus = fault === undefined && answer !== undefined && (answer.status >= 400 || lacksLocation);
  const location = lacksLocation ? ' without a Location header' : '';
  const badStatus = isBadStatus
    ? [`${hops.at(-1)?.url ?? ''} answered ${formatStatus(answer)}${location}`]
    : [];
  return {
    networkErrors: isNetwork ? message : [],
    timedOut: fault?.reason === 'timeout',
    faults: [...(isNetwork ? [] : message), ...(assertsStatus ? [] : badStatus)],
    overruled: assertsStatus ? badStatus : [],
    assertions,
    responseTime: fault === undefined ? totalMs : null,
    details,
  };
}

/** Limits the message, because an invalid redirect quotes an address that the target chose. */
const formatFault = ({ message }: FaultData, scrub: Scrub): string => {
  const scrubbed = scrub(message);
  return scrubbed.length > MAX_FAULT_LENGTH ? `${scrubbed.slice(0, MAX_FAULT_LENGTH)}…` : scrubbed;
};

const formatStatus = ({ status, statusText }: Head): string =>
  statusText === '' ? String(status) : `${status} ${statusText.slice(0, 100)}`;

/** Returns the first headers by lower-case name, cut to the length that a result stores. */
function toStoredHeaders(headers: readonly Header[], scrub: Scrub): Readonly<Record<string, string>> {
  const scrubbed = headers.slice(0, MAX_HEADERS).map(([name, value]): Header => [name, scrub(value)]);
  return Object.fromEntries(
    Object.entries(toHeaderObject(scrubbed)).map(([name, value]) => [name, value.slice(0, MAX_VALUE_LENGTH)]),
  );
}

function sumPhases(phases: readonly Phases[]): Readonly<Record<string, number | null>> {
  const names = ['dns', 'connect', 'tls', 'firstByte', 'download'] as const;
  return Object.fromEntries(
    names.map((name) => {
      const known = phases.map((phase) => phase[name]).filter((ms) => ms !== null);
      return [name, known.length === 0 ? null : roundMs(known.reduce((sum, ms) => sum + ms, 0))];
    }),
  );
}
