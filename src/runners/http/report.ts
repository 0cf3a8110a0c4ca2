/** What is kept of an HTTP exchange with the result, and what a verdict is made from. */
import type { AssertionResult } from '../assertions/types.ts';
import { roundMs } from '../network/deadline.ts';
import type { FaultData } from '../network/fault.ts';
import type { Findings } from '../conclude.ts';
import type { Answer, Exchanged, Header, Phases, SentRequest } from './types.ts';

const MOST_HEADERS = 100;
const LONGEST_VALUE = 2000;
const LONGEST_FAULT = 500;

/** An answer without its body. */
export type Head = Omit<Answer, 'body'>;

export const headOf = ({ body: _, ...head }: Answer): Head => head;

/** Seen by nobody, whatever they are. */
const HIDDEN = new Set(['authorization', 'proxy-authorization', 'cookie']);

/** Takes secrets out: before anything is cut, since a part of a secret is not found. */
type Scrub = (text: string) => string;
const asItIs: Scrub = (text) => text;

export function requestDetails(
  request: SentRequest,
  scrub: Scrub = asItIs,
): Readonly<Record<string, unknown>> {
  const { method, url, headers, ipFamily = null, skipSsl = false, followRedirects = true } = request;
  const shown = headers.map(
    ([name, value]): Header => [name, HIDDEN.has(name.toLowerCase()) ? '***' : value],
  );
  return {
    method,
    url,
    headers: headersOf(shown, scrub),
    ipFamily,
    skipSSL: skipSsl,
    followRedirects,
  };
}

/** How an exchange went; `response` without its body. */
export function exchangeDetails(
  { hops, answer, fault, totalMs }: Exchanged<Head>,
  scrub: Scrub = asItIs,
): Readonly<Record<string, unknown>> {
  const last = hops.at(-1);
  return {
    response:
      answer === undefined
        ? null
        : {
            ...{ url: last?.url ?? null, status: answer.status, statusText: answer.statusText },
            ...{ httpVersion: answer.httpVersion, headers: headersOf(answer.headers, scrub) },
            ...{ bytes: answer.bytes, isCut: answer.isCut },
          },
    address: last?.address ?? null,
    proxy: last?.proxy ?? null,
    tls: last?.tls ?? null,
    timing: { ...sumOf(hops.map(({ phases }) => phases)), total: totalMs },
    redirects: hops.slice(0, -1),
    notes: hops.flatMap(({ notes }) => notes),
    requestError: fault === undefined ? null : faultMessage(fault, scrub),
    errorCode: fault?.code ?? null,
  };
}

/** The exchange as `conclude` takes it. A status of 400 and above is a fault where no assertion looks at the status. */
export function httpFindings(
  { hops, answer, fault, totalMs }: Exchanged<Head>,
  assertions: readonly AssertionResult[],
  details: Readonly<Record<string, unknown>>,
  scrub: Scrub,
): Findings {
  const failed = hops.length > 1 && fault !== undefined ? ` (after ${counted(hops.length - 1)})` : '';
  const message = fault === undefined ? [] : [`${faultMessage(fault, scrub)}${failed}`];
  const isNetwork = fault?.isNetwork === true;
  const judgesStatus = assertions.some(({ source }) => source === 'STATUS_CODE');
  const bad = fault === undefined && answer !== undefined && answer.status >= 400 && !judgesStatus;
  return {
    networkErrors: isNetwork ? message : [],
    timedOut: fault?.reason === 'timeout',
    faults: [
      ...(isNetwork ? [] : message),
      ...(bad ? [`${hops.at(-1)?.url ?? ''} answered ${statusOf(answer)}`] : []),
    ],
    assertions,
    responseTime: fault === undefined ? totalMs : null,
    details,
  };
}

const counted = (redirects: number): string => `${redirects} redirect${redirects === 1 ? '' : 's'}`;

/** A redirect to an invalid address quotes that address, which the target chose. */
const faultMessage = ({ message }: FaultData, scrub: Scrub): string => {
  const scrubbed = scrub(message);
  return scrubbed.length > LONGEST_FAULT ? `${scrubbed.slice(0, LONGEST_FAULT)}…` : scrubbed;
};

const statusOf = ({ status, statusText }: Head): string =>
  statusText === '' ? String(status) : `${status} ${statusText.slice(0, 100)}`;

/** By name in small letters; of several of one name all, one a line. */
export function headersOf(
  headers: readonly Header[],
  scrub: Scrub = asItIs,
): Readonly<Record<string, string>> {
  const found = new Map<string, string>();
  for (const [name, written] of headers.slice(0, MOST_HEADERS)) {
    const key = name.toLowerCase();
    const value = scrub(written);
    const before = found.get(key);
    found.set(key, (before === undefined ? value : `${before}\n${value}`).slice(0, LONGEST_VALUE));
  }
  return Object.fromEntries(found);
}

function sumOf(phases: readonly Phases[]): Readonly<Record<string, number | null>> {
  const names = ['dns', 'connect', 'tls', 'firstByte', 'download'] as const;
  return Object.fromEntries(
    names.map((name) => {
      const known = phases.map((phase) => phase[name]).filter((ms) => ms !== null);
      return [name, known.length === 0 ? null : roundMs(known.reduce((sum, ms) => sum + ms, 0))];
    }),
  );
}
