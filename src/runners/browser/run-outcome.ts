/** Converts the end of a program that ran a script or a suite to the outcome of its run. */

import { conclude, type Expectations } from '../core/conclude.ts';
import type { RunOutcome } from '../core/runner.ts';
import type { CertificateInspection } from '../tls/inspect-certificate.ts';
import type { Egress } from './egress.ts';
import type { ProgramEnd } from './program.ts';

/** Outcome of a monitor error: nothing is known about the target. */
export const MONITOR_ERROR = {
  hasFailures: false,
  hasErrors: true,
  isDegraded: false,
  overMaxResponseTime: false,
  isNetworkError: false,
  responseTime: null,
} as const;

export interface ScriptRunEnd {
  readonly end: ProgramEnd;
  readonly timeoutMs: number;
  /** The cell limit that was exceeded; undefined if none. */
  readonly exceeded: string | undefined;
  readonly egress: Egress | undefined;
  readonly certificate?: CertificateInspection | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns the outcome. A denied address and a fault are monitor errors; the check's expectations decide the rest. */
export function toRunOutcome(run: ScriptRunEnd, check: Expectations): RunOutcome {
  const { end, timeoutMs, exceeded, egress, details } = run;
  const { artifacts } = end;
  const { outcome, errors } = classifyEnd(end, timeoutMs, exceeded);
  const denied = outcome === 'failed' ? findDenial(errors[0] ?? '', egress) : undefined;
  if (denied !== undefined) return { ...MONITOR_ERROR, errors: [denied, ...errors], details, artifacts };
  if (outcome === 'fault') return { ...MONITOR_ERROR, errors, details, artifacts };
  return { ...conclude(collectFindings({ outcome, errors }, run), check), artifacts };
}

type ScriptOutcome = Pick<NonNullable<ProgramEnd['report']>, 'outcome' | 'errors'>;

/** Classifies the end of a run. An exceeded limit and an endless script are the script's fault. */
export function classifyEnd(end: ProgramEnd, timeoutMs: number, exceeded: string | undefined): ScriptOutcome {
  if (exceeded !== undefined)
    return {
      outcome: 'unusable',
      errors: [`the script used more ${exceeded} than allowed`, ...(end.report?.errors ?? [])],
    };
  if (end.report !== undefined) return end.report;
  switch (end.why) {
    case 'late':
      return {
        outcome: 'timed-out',
        errors: [`the script did not end within ${timeoutMs / 1000} s, and could not be stopped`],
      };
    case 'too-much':
      return { outcome: 'unusable', errors: ['the script filled the channel for reports'] };
    default:
      // A script has the rights to kill its runner, and could hide its failure that way.
      if (end.killedBy !== undefined)
        return {
          outcome: 'unusable',
          errors: [`the program that runs the script was killed by ${end.killedBy}`],
        };
      return { outcome: 'fault', errors: [`the program that runs scripts has ended (${end.ending})`] };
  }
}

/** Network errors without any answer. Problems of an answer (a certificate, a block) are not included. */
const NETWORK_ERROR =
  /net::ERR_(?:CONNECTION_|NAME_NOT_RESOLVED|NAME_RESOLUTION_FAILED|ADDRESS_|INTERNET_|NETWORK_|TIMED_OUT|EMPTY_RESPONSE|SOCKET_|DNS_|TUNNEL_|PROXY_)|\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE)\b|socket hang up|Proxy connection ended before receiving CONNECT response/;

/** Timeouts of Playwright. */
const WAIT_TIMEOUT = /\b[Tt]imeout (?:of )?\d+\s?ms exceeded|Timed out \d+ms waiting|\bTimeout:\s+\d+ms\b/;

export function findDenial(error: string, egress: Egress | undefined): string | undefined {
  if (!NETWORK_ERROR.test(error)) return undefined;
  const denial = egress?.denied().find(({ host }) => error.includes(host));
  return denial && `the script is not allowed to contact ${denial.host}: ${denial.why}`;
}

function collectFindings({ outcome, errors }: ScriptOutcome, { end, certificate, details }: ScriptRunEnd) {
  const [first = ''] = errors;
  const isNetwork = outcome === 'failed' && NETWORK_ERROR.test(first);
  // Playwright waits for a page, an element or the whole test: without a network, none of them comes.
  const isLate = outcome === 'timed-out' || (outcome === 'failed' && WAIT_TIMEOUT.test(first));
  const problem = certificate?.report.problem;
  const certificateErrors = problem ? [`certificate of ${certificate?.report.domain}: ${problem}`] : [];
  const networkErrors = [
    ...(isNetwork ? errors : []),
    ...(certificate?.isNetworkError ? certificateErrors : []),
  ];
  return {
    networkErrors,
    timedOut: outcome === 'timed-out',
    mayLackAnswer: isLate,
    unusable: outcome === 'unusable' ? errors : [],
    faults: [
      ...(isNetwork || outcome === 'unusable' ? [] : errors),
      ...(certificate?.isNetworkError ? [] : certificateErrors),
    ],
    assertions: [],
    unanswered: 0,
    responseTime: end.report?.durationMs ?? null,
    details,
  };
}
