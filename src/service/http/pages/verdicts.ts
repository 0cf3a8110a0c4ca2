/** What sessions and results came to, as people are told. */

import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import type { State } from './history.ts';
import { icon } from './words.ts';

interface Verdict {
  readonly words: string;
  readonly look: State | 'none';
}

const OF_SESSIONS: Readonly<Record<string, Verdict>> = {
  STARTED: { words: 'Started', look: 'none' },
  RUNNING: { words: 'Running', look: 'none' },
  PROGRESS: { words: 'Running', look: 'none' },
  PROGRESS_FAILED: { words: 'Running, with failures', look: 'outage' },
  PROGRESS_DEGRADED: { words: 'Running, degraded', look: 'degraded' },
  PASSED: { words: 'Passed', look: 'operational' },
  DEGRADED: { words: 'Degraded', look: 'degraded' },
  FAILED: { words: 'Failed', look: 'outage' },
  TIMED_OUT: { words: 'Timed out', look: 'outage' },
  CANCELLED: { words: 'Cancelled', look: 'none' },
};

export const sessionVerdict = (status: string): Verdict =>
  OF_SESSIONS[status] ?? { words: status, look: 'none' };

/** An error is the monitor's own: it says nothing of the target. */
export function resultVerdict(row: ResultRecord): Verdict {
  if (row.is_cancelled === 1) return { words: 'Cancelled', look: 'none' };
  if (row.has_failures === 1) return { words: 'Failed', look: 'outage' };
  if (row.has_errors === 1) return { words: 'Monitor error', look: 'degraded' };
  return row.is_degraded === 1
    ? { words: 'Degraded', look: 'degraded' }
    : { words: 'Passed', look: 'operational' };
}

export const label = ({ words, look }: Verdict): Markup =>
  html`<span class="state s-${look}">${icon(look)}${words}</span>`;

/** The verdict at the top of a page, with what it is about. */
export const verdictBanner = ({ words, look }: Verdict, about: string): Markup =>
  html`<div class="banner s-${look}">${icon(look)}<p>${words}${about !== '' && html`<span class="sr">: ${about}</span>`}</p></div>`;

export const RUN_SOURCE_WORDS: Readonly<Record<string, string>> = {
  SCHEDULER: 'Schedule',
  SCHEDULE_NOW: 'Run now',
  TRIGGER_API: 'API',
  LEGACY_TRIGGER: 'Trigger URL',
  GROUP_RUN_ALL: 'Group run',
  DEPLOYMENT: 'Deployment',
  TEST_RECORD: 'Test session',
  TEST_NO_RECORD: 'Test session',
};
