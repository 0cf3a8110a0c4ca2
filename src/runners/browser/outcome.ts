/** From the end of a program that ran a script, a check's or a suite's, to the outcome of its run. */
import type { CertificateInspection } from '../certificate.ts';
import { conclude, type Expectations } from '../conclude.ts';
import type { RunOutcome } from '../types.ts';
import type { WayOut } from './egress.ts';
import type { ProgramEnd } from './program.ts';
import { FAULT } from './take-cell.ts';
import { denialIn, findings, judged } from './verdict.ts';

export interface Ended {
  readonly end: ProgramEnd;
  /** How long the script might take, in ms. */
  readonly timeoutMs: number;
  /** The limit of its cell that it went beyond; undefined: none. */
  readonly exceeded: string | undefined;
  readonly wayOut: WayOut | undefined;
  readonly certificate?: CertificateInspection | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What the policy denied and what is wrong with the monitor is an error; all else is judged as the check says. */
export function outcomeOf(ended: Ended, check: Expectations): RunOutcome {
  const { end, timeoutMs, exceeded, wayOut, certificate, details } = ended;
  const { artifacts } = end;
  const { outcome, errors } = judged(end, timeoutMs, exceeded);
  const denied = outcome === 'failed' ? denialIn(errors[0] ?? '', wayOut) : undefined;
  if (denied !== undefined) return { ...FAULT, errors: [denied, ...errors], details, artifacts };
  if (outcome === 'fault') return { ...FAULT, errors, details, artifacts };
  return { ...conclude(findings({ outcome, errors, end, certificate, details }), check), artifacts };
}
