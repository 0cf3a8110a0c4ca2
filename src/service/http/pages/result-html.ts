/** Renders the page of a result: request, response and verdict. */
import type { JsonObject } from '../../../base/object.ts';
import { type CheckType, isCheckType } from '../../../contract/check-type-facts.ts';
import { UNITS } from '../../../runners/assertions/units.ts';
import type { AssertionResult } from '../../../runners/core/assertion.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { capitalize } from '../api/problem.ts';
import { renderAgenticDetails, renderBrowserDetails } from './browser-html.ts';
import { renderTime } from './format.ts';
import { type Page, renderSection } from './layout.ts';
import { NETWORK_DETAILS } from './network-html.ts';
import {
  asTexts,
  checkTypeTitle,
  findReason,
  formatResponseTime,
  renderColumn,
  renderErrors,
  renderFacts,
  renderLocation,
  renderRunPage,
  renderTable,
  renderVerdict,
  renderVerdictBanner,
  resultVerdict,
} from './run-components.ts';

export interface ResultPageOptions {
  /** All attempts of the same run in order, including this one. */
  readonly attempts: readonly ResultRecord[];
  /** What changed since the last good result: sentences without a full stop. Default: nothing is known. */
  readonly changes?: readonly string[];
  readonly resultLink: (id: string) => string;
  /** Returns the URL of a screenshot or trace of this result. */
  readonly artifactLink: (id: string) => string;
  readonly sessionLink: string;
}

export function renderResultPage(
  row: ResultRecord,
  { attempts, changes = [], resultLink, artifactLink, sessionLink }: ResultPageOptions,
): Page {
  const details = JSON.parse(row.details) as JsonObject;
  const assertions = Array.isArray(details.assertions) ? details.assertions.filter(isAssertion) : [];
  const hasErrors = row.errors !== '[]';
  // Errors follow the banner.
  const reason = hasErrors ? undefined : findReason(row);
  return renderRunPage(
    row.check_name,
    html`<div class="stack"><p class="crumb"><a href="${sessionLink}">All results of this session</a></p>${renderVerdictBanner(resultVerdict(row), row.check_name, reason)}</div>
<section class="card" aria-label="About this result">${renderFacts([
      // A ping comes from anywhere.
      ['Location', row.check_type === 'HEARTBEAT' ? undefined : renderLocation(row.location)],
      ['Type', checkTypeTitle(row.check_type)],
      ['Started', renderTime(row.started_at, true)],
      ['Response time', row.response_time_us === null ? undefined : formatResponseTime(row.response_time_us)],
      ['Attempt', attempts.length === 1 ? undefined : `${row.attempt + 1} of ${attempts.length}`],
    ])}</section>
${hasErrors && renderSection('wrong', 'Errors', html`<div class="card stack">${renderErrors(row)}</div>`)}
${renderNotes(details, reason)}
${changes.length > 0 && renderSection('changed', 'Changed since the last good result', html`<ul class="card">${changes.map((change) => html`<li>${change}</li>`)}</ul>`)}
${assertions.length > 0 && renderSection('assertions', 'Assertions', renderAssertions(assertions))}
${renderDetails(row.check_type, details, artifactLink)}
${attempts.length > 1 && renderSection('attempts', 'Attempts', renderAttempts(attempts, row, resultLink))}`,
  );
}

/** Renders what a result says beside its errors and the reason in its banner. */
function renderNotes(details: JsonObject, reason: string | undefined): Markup | false {
  const notes = asTexts(details.notes)
    .map(capitalize)
    .filter((note) => note !== reason);
  return (
    notes.length > 0 &&
    renderSection(
      'notes',
      'Notes',
      html`<div class="card stack-s">${notes.map((note) => html`<p>${note}.</p>`)}</div>`,
    )
  );
}

/** Renders the details of a run by its type; nothing for an unknown type. */
function renderDetails(type: string, details: JsonObject, linkTo: (id: string) => string): Markup | false {
  // A run that never started has no details.
  const isEmpty = Object.keys(details).length === 0;
  return !isEmpty && isCheckType(type) && DETAILS[type](details, linkTo);
}

const DETAILS = {
  ...NETWORK_DETAILS,
  BROWSER: renderBrowserDetails,
  MULTI_STEP: renderBrowserDetails,
  PLAYWRIGHT: renderBrowserDetails,
  AGENTIC: renderAgenticDetails,
} satisfies Record<CheckType, (details: JsonObject, linkTo: (id: string) => string) => Markup | false>;

/** Returns a string unchanged and any other value as JSON. */
const formatValue = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value ?? null) ?? '');

/** The complete response is shown below, so the start of a long value is enough. */
const MAX_VALUE_LENGTH = 300;
const truncate = (text: string): string =>
  text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH)}…`;

/** Reports of agents are untrusted. */
const isAssertion = (value: unknown): value is AssertionResult => {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return ['source', 'property', 'comparison', 'target'].every((name) => typeof fields[name] === 'string');
};

/** Rendered as a list, because long expected and actual values do not fit side by side on a phone. */
function renderAssertions(assertions: readonly AssertionResult[]): Markup {
  const failedFirst = assertions.toSorted((one, other) => Number(one.passed) - Number(other.passed));
  return html`<ul class="card checks">${failedFirst.map(
    ({ passed, source, property, comparison, target, actual }) => {
      const unit = UNITS[source] ?? '';
      return html`<li><div class="row"><p class="name">${formatName(source)}${property !== '' && html` <code>${property}</code>`}</p>${renderVerdict(passed ? { label: 'Passed', state: 'operational' } : { label: 'Failed', state: 'outage' })}</div><dl><div><dt>Expected</dt><dd>${formatName(comparison).toLowerCase()}${target !== '' && html` <code>${target}${unit}</code>`}</dd></div><div><dt>Actual</dt><dd><code>${truncate(formatValue(actual))}${typeof actual === 'number' && unit}</code></dd></div></dl></li>`;
    },
  )}</ul>`;
}

/** Formats a name: `JSON_ANSWER` becomes `JSON answer`. */
const formatName = (name: string): string =>
  (name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ')).replace(/^Json/, 'JSON');

/** Hidden on phones, where the page of the attempt shows it. */
const STARTED_COLUMN = html`<th scope="col" class="less">Started</th>`;

function renderAttempts(
  attempts: readonly ResultRecord[],
  current: ResultRecord,
  resultLink: (id: string) => string,
): Markup {
  return renderTable(
    'Attempts',
    [renderColumn('Attempt'), renderColumn('Verdict'), STARTED_COLUMN, renderColumn('Response time', true)],
    attempts.map(
      (row) =>
        html`<tr><td>${row.id === current.id ? html`<strong aria-current="page">Attempt ${row.attempt + 1} (this page)</strong>` : html`<a href="${resultLink(row.id)}">Attempt ${row.attempt + 1}</a>`}</td><td>${renderVerdict(resultVerdict(row))}</td><td class="less">${renderTime(row.started_at, true)}</td><td class="num">${formatResponseTime(row.response_time_us)}</td></tr>`,
    ),
  );
}
