/** Renders the results of checks with a browser: browser, multi-step, Playwright and agentic checks. Stored details are untrusted. */

import { formatLongDuration } from '../../../base/format-duration.ts';
import type { JsonObject } from '../../../base/object.ts';
import { isImageType } from '../../engine/artifacts/artifact-files.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import { formatBytes } from './format.ts';
import { formatCertificate } from './format-certificate.ts';
import { renderSection } from './layout.ts';
import {
  asCount,
  asObject,
  asObjects,
  asText,
  asTexts,
  type Fact,
  renderColumn,
  renderFacts,
  renderTable,
  renderVerdict,
} from './run-components.ts';

type LinkTo = (artifactId: string) => string;

/** Renders the details of a browser check, multi-step check or Playwright suite. */
export function renderBrowserDetails(details: JsonObject, linkTo: LinkTo): Markup {
  const files = asObjects(details.artifacts);
  const screenshots = files.filter(({ contentType }) => isImageType(contentType));
  const traces = files.filter(({ contentType, kind }) => !isImageType(contentType) && kind !== 'transcript');
  const tests = asObjects(details.tests);
  const lines = asObjects(details.console);
  const dropped = asObject(details.dropped);
  const lost = asText(details.artifactsLost);
  return html`${screenshots.length > 0 && renderSection('pictures', 'Screenshots', html`<div class="pictures">${screenshots.map((file) => renderScreenshot(file, linkTo))}</div>`)}
${tests.length > 0 && renderSection('tests', 'Tests', renderTests(tests))}
${lines.length > 0 && renderSection('console', 'Console', renderConsole(lines, asCount(dropped.lines)))}
${traces.length > 0 && renderSection('traces', 'Traces', renderTraces(traces, linkTo))}
${lost !== undefined && html`<p class="muted">Some screenshots or traces are missing: ${lost}.</p>`}
${asCount(dropped.artifacts) > 0 && html`<p class="muted">${asCount(dropped.artifacts)} more screenshots or traces exceeded the limits and were not stored.</p>`}
${renderSection('ran', 'Environment', html`<div class="card">${renderFacts(environmentFacts(details))}</div>`)}`;
}

const fileName = ({ name }: JsonObject): string => asText(name) ?? 'file';
const fileUrl = ({ id }: JsonObject, linkTo: LinkTo): string => linkTo(encodeURIComponent(asText(id) ?? ''));

/** The style reserves the space of a screenshot before it arrives; the link opens all of a longer one. */
const renderScreenshot = (file: JsonObject, linkTo: LinkTo): Markup =>
  html`<figure><a href="${fileUrl(file, linkTo)}"><img src="${fileUrl(file, linkTo)}" alt="Screenshot: ${fileName(file)}"></a><figcaption>${fileName(file)}</figcaption></figure>`;

const renderTraces = (files: readonly JsonObject[], linkTo: LinkTo): Markup =>
  html`<ul class="card stack-s">${files.map(
    (file) =>
      html`<li><a href="${fileUrl(file, linkTo)}" download>${fileName(file)}</a> <span class="muted">${formatBytes(asCount(file.bytes))}</span></li>`,
  )}<li class="muted small">Open a trace with <code class="whole">npx playwright show-trace ${fileName(files[0] ?? {})}</code></li></ul>`;

const TEST_VERDICTS = new Map<unknown, Parameters<typeof renderVerdict>[0]>([
  ['passed', { label: 'Passed', state: 'operational' }],
  ['failed', { label: 'Failed', state: 'outage' }],
  ['timed-out', { label: 'Timed out', state: 'outage' }],
  ['skipped', { label: 'Skipped', state: 'none' }],
]);
const FLAKY = { label: 'Flaky', state: 'degraded' } as const;

const renderTests = (tests: readonly JsonObject[]): Markup =>
  renderTable(
    'Tests',
    [renderColumn('Test'), renderColumn('Verdict'), renderColumn('Duration', true)],
    tests.map(
      ({ title, status, isFlaky, durationMs }) =>
        html`<tr><td>${asText(title) ?? 'Script'}</td><td>${renderVerdict(isFlaky === true ? FLAKY : (TEST_VERDICTS.get(status) ?? { label: asText(status) ?? 'Unknown', state: 'none' }))}</td><td class="num">${status === 'skipped' ? '–' : formatLongDuration(asCount(durationMs))}</td></tr>`,
    ),
  );

const SOURCE_LABELS = new Map<unknown, string>([
  ['page', 'Page'],
  ['page-error', 'Page error'],
]);

/** Returns the class of a log line by its level; unknown levels have none. */
function levelClass({ from, level }: JsonObject): Markup | false {
  if (from === 'page-error' || level === 'error' || level === 'stderr') return html` class="is-error"`;
  return level === 'warning' && html` class="is-warning"`;
}

function renderConsole(lines: readonly JsonObject[], dropped: number): Markup {
  return html`<div class="card scroll" role="group" aria-label="Console lines" tabindex="0"><ol class="console">${lines.map(
    (line) =>
      html`<li${levelClass(line)}><span class="when">${(asCount(line.atMs) / 1000).toFixed(2)} s</span><span class="who">${SOURCE_LABELS.get(line.from) ?? 'Script'}${asText(line.level) !== undefined && line.from === 'page' && html` · ${line.level as string}`}</span><code>${asText(line.text)}</code></li>`,
  )}</ol></div>${dropped > 0 && html`<p class="muted small">${dropped} more ${dropped === 1 ? 'line' : 'lines'} exceeded the limit and ${dropped === 1 ? 'was' : 'were'} not stored.</p>`}`;
}

const ISOLATION_LABELS: Readonly<Record<string, string>> = {
  uid: 'Separate user ID (uid)',
  namespace: 'Separate namespaces (namespace)',
  process: 'Separate process only (process)',
};

/** Formats the test counts of a suite: `12 passed, 1 failed`; undefined if there are none. */
export function formatTestCounts(details: JsonObject): string | undefined {
  const counts = asObject(details.counts);
  const outcomes = ['passed', 'failed', 'flaky', 'skipped'].filter((word) => asCount(counts[word]) > 0);
  return outcomes.length === 0
    ? undefined
    : outcomes.map((word) => `${asCount(counts[word])} ${word}`).join(', ');
}

/** Returns the isolation level of the scripts and the reason for it. */
export function isolationFacts({ isolation }: JsonObject): Fact[] {
  const { level: storedLevel, reason } = asObject(isolation);
  const level = asText(storedLevel);
  return [
    ['Isolation', level === undefined ? undefined : (ISOLATION_LABELS[level] ?? level)],
    ['Reason for this level', asText(reason)],
  ];
}

function environmentFacts(details: JsonObject): Fact[] {
  const { chromiumSandbox } = asObject(details.isolation);
  const browser = asText(details.browser);
  const certificate = asObject(details.sslCheck);
  const domain = asText(certificate.domain);
  return [
    ['Tests', formatTestCounts(details)],
    [
      'Duration',
      details.durationMs === undefined ? undefined : formatLongDuration(asCount(details.durationMs)),
    ],
    ['Engine', asText(details.engine)],
    ...isolationFacts(details),
    [
      'Chromium sandbox',
      // Without a browser the sandbox setting means nothing.
      typeof chromiumSandbox === 'boolean' && browser !== undefined
        ? chromiumSandbox
          ? 'On'
          : 'Off'
        : undefined,
    ],
    ['Browser', browser],
    ['Playwright', asText(details.playwright)],
    ['Runtime', asText(details.runtime)],
    [`Certificate of ${domain ?? ''}`, domain === undefined ? undefined : formatCertificate(certificate)],
  ];
}

export function renderAgenticDetails(details: JsonObject, linkTo: LinkTo): Markup {
  const statements = asObjects(details.assertions);
  const steps = asObjects(details.steps);
  const transcript = asObjects(details.artifacts).find(({ kind }) => kind === 'transcript');
  const summary = asText(details.summary);
  return html`${summary !== undefined && renderSection('summary', 'Model summary', html`<div class="card"><p>${summary}</p></div>`)}
${statements.length > 0 && renderSection('statements', 'Statements', html`<ul class="card checks">${statements.map(renderStatement)}</ul>`)}
${steps.length > 0 && renderSection('steps', 'Steps', renderSteps(steps))}
${renderSection('model', 'Model', html`<div class="card stack-s">${renderFacts(modelFacts(details))}${transcript && html`<p><a href="${linkTo(encodeURIComponent(asText(transcript.id) ?? ''))}" download>Transcript</a> <span class="muted">${formatBytes(asCount(transcript.bytes))}</span></p>`}</div>`)}
${renderBrowserDetails(details, linkTo)}`;
}

const renderStatement = ({ statement, holds }: JsonObject): Markup =>
  html`<li><div class="row"><p class="name">${asText(statement) ?? ''}</p>${renderVerdict(holds === true ? { label: 'Holds', state: 'operational' } : { label: 'Does not hold', state: 'outage' })}</div></li>`;

const renderSteps = (steps: readonly JsonObject[]): Markup =>
  renderTable(
    'Steps',
    [renderColumn('Step'), renderColumn('Input'), renderColumn('Time', true)],
    steps.map(
      ({ tool, with: input, atMs }) =>
        html`<tr><td>${asText(tool) ?? ''}</td><td>${asText(input) ?? ''}</td><td class="num">${(asCount(atMs) / 1000).toFixed(1)} s</td></tr>`,
    ),
  );

function modelFacts(details: JsonObject): Fact[] {
  const { answers, tokens, isEstimated } = asObject(details.usage);
  const blocked = asTexts(details.blocked);
  return [
    ['Model', asText(details.model)],
    ['Responses', answers === undefined ? undefined : String(asCount(answers))],
    [
      'Tokens',
      tokens === undefined ? undefined : `${isEstimated === true ? 'about ' : ''}${asCount(tokens)}`,
    ],
    ['Allowed hosts', asTexts(details.hosts).join(', ') || undefined],
    ['Blocked hosts', blocked.length > 0 ? blocked.join(', ') : undefined],
  ];
}
