/** Renders the state of a check, and the button that runs it. */
import { isRunnable } from '../../../contract/check-type-facts.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { CheckRecord } from '../../store/index.ts';

export const CHECK_STATES = {
  passing: { label: 'Passing', state: 'operational' },
  degraded: { label: 'Degraded', state: 'degraded' },
  failing: { label: 'Failing', state: 'outage' },
} as const;

interface Activation {
  readonly activated: boolean;
}

/** Returns the state of a check; a check that does not run has the state `none`. */
export const checkState = ({ status, activated }: Pick<CheckRecord, 'status'> & Activation) => {
  if (!activated) return { label: 'Paused', state: 'none' } as const;
  return status === null ? ({ label: 'No result yet', state: 'none' } as const) : CHECK_STATES[status];
};

/** Renders the button that runs a check now; nothing for a check that cannot run. */
export const renderRunButton = (
  check: Pick<CheckRecord, 'id' | 'name' | 'type'> & Activation,
  token: Markup,
) =>
  check.activated &&
  isRunnable(check) &&
  html`<form method="post" action="/checks/${check.id}/run">${token}<button class="small quiet">Run now<span class="sr">: ${check.name}</span></button></form>`;
