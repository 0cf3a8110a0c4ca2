/** Returns and renders the verdicts of sessions and results. */

import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { renderIcon } from './format.ts';
import type { State } from './history.ts';

interface Verdict {
  readonly label: string;
  readonly state: State | 'none';
}

const SESSION_VERDICTS: Readonly<Record<string, Verdict>> = {
  STARTED: { label: 'Started', state: 'none' },
  RUNNING: { label: 'Running', state: 'none' },
  PROGRESS: { label: 'Running', state: 'none' },
  PROGRESS_FAILED: { label: 'Running, with failures', state: 'outage' },
  PROGRESS_DEGRADED: { label: 'Running, degraded', state: 'degraded' },
  PASSED: { label: 'Passed', state: 'operational' },
  DEGRADED: { label: 'Degraded', state: 'degraded' },
  FAILED: { label: 'Failed', state: 'outage' },
  TIMED_OUT: { label: 'Timed out', state: 'outage' },
  CANCELLED: { label: 'Cancelled', state: 'none' },
};

export const sessionVerdict = (status: string): Verdict =>
  SESSION_VERDICTS[status] ?? { label: status, state: 'none' };

/** Returns the verdict of a result. A monitor error says nothing about the target. */
export function resultVerdict(row: ResultRecord): Verdict {
  if (row.is_cancelled === 1) return { label: 'Cancelled', state: 'none' };
  if (row.has_failures === 1) return { label: 'Failed', state: 'outage' };
  if (row.has_errors === 1) return { label: 'Monitor error', state: 'degraded' };
  return row.is_degraded === 1
    ? { label: 'Degraded', state: 'degraded' }
    : { label: 'Passed', state: 'operational' };
}

export const renderVerdict = ({ label, state }: Verdict): Markup =>
  html`<span class="state s-${state}">${renderIcon(state)}${label}</span>`;

/** Renders the verdict at the top of a page. */
export const renderVerdictBanner = ({ label, state }: Verdict, about: string): Markup =>
  html`<div class="banner s-${state}">${renderIcon(state)}<p>${label}${about !== '' && html`<span class="sr">: ${about}</span>`}</p></div>`;

export const RUN_SOURCE_LABELS: Readonly<Record<string, string>> = {
  SCHEDULER: 'Schedule',
  SCHEDULE_NOW: 'Run now',
  TRIGGER_API: 'API',
  LEGACY_TRIGGER: 'Trigger URL',
  GROUP_RUN_ALL: 'Group run',
  DEPLOYMENT: 'Deployment',
  TEST_RECORD: 'Test session',
  TEST_NO_RECORD: 'Test session',
};
