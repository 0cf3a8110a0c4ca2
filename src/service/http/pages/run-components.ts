/** Renders the parts that pages of sessions and results share: verdicts, facts, tables and untrusted details. */

import { formatLongDuration } from '../../../base/format-duration.ts';
import type { JsonObject } from '../../../base/object.ts';
import { plural } from '../../../base/plural.ts';
import { oneLine } from '../../../base/sanitize.ts';
import { isCheckType } from '../../../contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import { cityOf } from '../../../contract/location-names.ts';
import { truncate } from '../../notify/channels/channel-type.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { capitalize } from '../api/problem.ts';
import { type IconState, renderIcon } from './format.ts';
import { type Page, renderLayout } from './layout.ts';
import { renderZoneForm } from './time-zone.ts';

export const asObject = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};
export const asObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.map(asObject) : [];
export const asText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
export const asNumber = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
export const asCount = (value: unknown): number => Math.max(0, asNumber(value) ?? 0);
/** Formats milliseconds: `12.3 ms`, `4.2 s`. */
export const formatMilliseconds = (value: unknown): string | undefined =>
  typeof value === 'number' ? formatLongDuration(value) : undefined;
/** Returns the strings of an array that are not empty. */
export const asTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.flatMap((item) => asText(item) ?? []) : [];

interface Verdict {
  readonly label: string;
  readonly state: IconState;
}

const SESSION_VERDICTS: Readonly<Record<string, Verdict>> = {
  STARTED: { label: 'Started', state: 'pending' },
  RUNNING: { label: 'Running', state: 'pending' },
  PROGRESS: { label: 'Running', state: 'pending' },
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

/** Returns the title of a check type: `DNS`, `Browser`. An unknown type is its own title. */
export const checkTypeTitle = (type: string): string => (isCheckType(type) ? CHECK_TYPES[type].title : type);

const MAX_REASON_LENGTH = 200;

/** Returns why a result is bad, on one line: its first error, or the last note of a degraded result. */
export function findReason({ errors, details, is_degraded }: ResultRecord): string | undefined {
  const [error] = JSON.parse(errors) as string[];
  const note = is_degraded === 1 ? asTexts(asObject(JSON.parse(details)).notes).at(-1) : undefined;
  const reason = error ?? (note && capitalize(note));
  return reason && truncate(oneLine(reason), MAX_REASON_LENGTH);
}

export const renderVerdict = ({ label, state }: Verdict): Markup =>
  html`<span class="state s-${state}">${renderIcon(state)}${label}</span>`;

/** Renders the verdict about something, such as a check, and why. */
export const renderVerdictBanner = ({ label, state }: Verdict, about: string, reason?: string): Markup =>
  html`<div class="banner s-${state}">${renderIcon(state)}<div><p>${label}${about !== '' && html`<span class="sr">: ${about}</span>`}</p>${reason !== undefined && html`<p class="why">${reason}</p>`}</div></div>`;

const SEVERITY: readonly IconState[] = ['outage', 'degraded', 'none', 'operational'];

/** Sorts results: the worst first. */
export const worstFirst = (rows: readonly ResultRecord[]): ResultRecord[] =>
  rows.toSorted(
    (one, other) => SEVERITY.indexOf(resultVerdict(one).state) - SEVERITY.indexOf(resultVerdict(other).state),
  );

/** Explains the verdict of a session: why its only result is bad, or how many of several are; undefined: none is. */
export function explainResults(rows: readonly ResultRecord[]): string | undefined {
  const [first] = rows;
  const bad = rows.filter((row) => ['outage', 'degraded'].includes(resultVerdict(row).state));
  if (first === undefined || bad.length === 0) return undefined;
  if (rows.length === 1) return findReason(first);
  const counts = (['Failed', 'Monitor error', 'Degraded'] as const).flatMap((label) => {
    const count = bad.filter((row) => resultVerdict(row).label === label).length;
    return count === 0
      ? []
      : [`${count} ${label === 'Monitor error' ? 'with a monitor error' : label.toLowerCase()}`];
  });
  return `Of ${rows.length} results: ${counts.join(', ')}`;
}

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

/** Renders a location: `eu-west-1 (simulated: this machine)`, or the slug of a private one, whose agents are really there. */
export const renderLocation = (location: string): Markup =>
  cityOf(location) === undefined
    ? html`${location}`
    : html`<span class="whole">${location}</span> <span class="muted">(simulated: this machine)</span>`;

/** Formats a response time: `12.3 ms`, `1.2 s`; `–` if it was not measured. */
export const formatResponseTime = (microseconds: number | null): string =>
  microseconds === null ? '–' : formatLongDuration(microseconds / 1000);

/** A label and its value. A fact without a value is not shown. */
export type Fact = readonly [string, Value];

/** Longer texts take a row: the first on phones, the second everywhere. */
const LONG_FACTS = { long: 16, full: 40 };

function classOfFact(value: Value): Markup | false {
  const length = typeof value === 'string' ? value.length : 0;
  if (length > LONG_FACTS.full) return html` class="full"`;
  return length > LONG_FACTS.long && html` class="long"`;
}

export const renderFacts = (facts: readonly Fact[]): Markup =>
  html`<dl class="facts">${facts.flatMap(([name, value]) => (value === undefined ? [] : html`<div${classOfFact(value)}><dt>${name}</dt><dd>${value}</dd></div>`))}</dl>`;

/** Renders a table. If it is too wide it scrolls, also by keyboard. */
export const renderTable = (name: string, head: readonly Markup[], rows: readonly Markup[]): Markup =>
  html`<div class="card scroll" role="group" aria-label="${name}, table" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>`;

export const renderColumn = (name: string, isNumber = false): Markup =>
  html`<th scope="col"${isNumber && html` class="num"`}>${name}</th>`;

/** Renders a numeric column that phones hide. */
const renderMinorColumn = (name: string): Markup => html`<th scope="col" class="num less">${name}</th>`;

export const renderErrors = (row: ResultRecord): Markup =>
  html`${(JSON.parse(row.errors) as string[]).map((message) => html`<pre>${message}</pre>`)}`;

export function lastAttempts(results: readonly ResultRecord[]): ResultRecord[] {
  return [...new Map(results.map((row) => [row.sequence_id, row])).values()];
}

/** `of` completes the link text for screen readers, if the name contains more. */
export const renderResultRow = (row: ResultRecord, name: Value, link: string, of = name): Markup =>
  html`<tr><td>${name}<span class="more muted small">${row.response_time_us !== null && `${formatResponseTime(row.response_time_us)}, `}${plural(row.attempt + 1, 'attempt')}</span></td><td>${renderVerdict(resultVerdict(row))}</td><td class="num less">${row.attempt + 1}</td><td class="num less">${formatResponseTime(row.response_time_us)}</td><td><a href="${link}">Details<span class="sr"> of ${of}</span></a></td></tr>`;

export const RESULT_COLUMNS = [
  renderColumn('Verdict'),
  renderMinorColumn('Attempts'),
  renderMinorColumn('Response time'),
  html`<td><span class="sr">Link</span></td>`,
];

export const renderRunPage = (title: string, main: Markup, status = 200): Page =>
  renderLayout(status, {
    title: `${title} · sonde`,
    heading: html`<h1><bdi>${title}</bdi></h1>`,
    main,
    footer: html`${renderZoneForm()}<span>Anyone with this link can view this page</span>`,
  });
