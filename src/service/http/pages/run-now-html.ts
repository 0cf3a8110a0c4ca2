/** The page that starts a check again: who reads a session's page need not have the right to. */
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { keyField } from './forms.ts';
import { runPage } from './run-parts.ts';
import type { Page } from './shell.ts';

export interface RunNowOptions {
  readonly status: number;
  /** What was wrong with what was sent. */
  readonly problem: string | undefined;
  /** Where the session's page is. */
  readonly self: string;
  /** The hidden field of the form. */
  readonly token: Markup;
}

export const runNowPage = (name: string, { status, problem, self, token }: RunNowOptions): Page =>
  runPage(
    name,
    html`<p class="crumb"><a href="${self}">Back to the session</a></p>
<form class="card narrow" method="post" action="${self}/run"><div class="stack"><h2>Run this check now</h2><p class="muted">This link only lets you view results. To start a run, enter an API key of the account. The key is not stored.</p>${keyField('API key', problem)}${token}<button>Run now</button></div></form>`,
    status,
  );
