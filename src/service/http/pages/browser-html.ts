/** What a browser check left: pictures, tests, console, traces, and where it ran. Details are read as they were stored. */
import { isImageType } from '../../engine/artifacts/artifact-headers.ts';
import { durationText } from '../../notify/rendering/duration.ts';
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import { count, type Fields, fields, list, text } from './details.ts';
import { column, facts, section, table } from './run-parts.ts';
import { label } from './verdicts.ts';
import { sizeWords } from './words.ts';

/** Where a file of the result is, by its id. */
type LinkTo = (artifactId: string) => string;

/** Of a browser or multi-step check, or of a suite. */
export function browserParts(details: Fields, linkTo: LinkTo): Markup {
  const files = list(details.artifacts);
  const pictures = files.filter(({ contentType }) => isImageType(contentType));
  const others = files.filter(({ contentType, kind }) => !isImageType(contentType) && kind !== 'transcript');
  const tests = list(details.tests);
  const lines = list(details.console);
  const dropped = fields(details.dropped);
  const lost = text(details.artifactsLost);
  return html`${pictures.length > 0 && section('pictures', 'Screenshots', html`<div class="pictures">${pictures.map((file) => picture(file, linkTo))}</div>`)}
${tests.length > 0 && section('tests', 'Tests', testTable(tests))}
${lines.length > 0 && section('console', 'Console', consoleLines(lines, count(dropped.lines)))}
${others.length > 0 && section('traces', 'Traces', traces(others, linkTo))}
${lost !== undefined && html`<p class="muted">Some screenshots or traces are missing: ${lost}.</p>`}
${count(dropped.artifacts) > 0 && html`<p class="muted">${count(dropped.artifacts)} more screenshots or traces exceeded the limits and were not stored.</p>`}
${section('ran', 'Environment', html`<div class="card">${facts(surroundings(details))}</div>`)}`;
}

const nameOf = ({ name }: Fields): string => text(name) ?? 'file';
const addressOf = ({ id }: Fields, linkTo: LinkTo): string => linkTo(encodeURIComponent(String(id)));

const picture = (file: Fields, linkTo: LinkTo): Markup =>
  html`<figure><a href="${addressOf(file, linkTo)}"><img src="${addressOf(file, linkTo)}" alt="Screenshot: ${nameOf(file)}"></a><figcaption>${nameOf(file)}</figcaption></figure>`;

const traces = (files: readonly Fields[], linkTo: LinkTo): Markup =>
  html`<ul class="card stack-s">${files.map(
    (file) =>
      html`<li><a href="${addressOf(file, linkTo)}" download>${nameOf(file)}</a> <span class="muted">${sizeWords(count(file.bytes))}</span></li>`,
  )}<li class="muted small">Open a trace with <code>npx playwright show-trace</code>.</li></ul>`;

const TEST_VERDICTS: Readonly<Record<string, Parameters<typeof label>[0]>> = {
  passed: { words: 'Passed', look: 'operational' },
  failed: { words: 'Failed', look: 'outage' },
  'timed-out': { words: 'Timed out', look: 'outage' },
  skipped: { words: 'Skipped', look: 'none' },
};

const testTable = (tests: readonly Fields[]): Markup =>
  table(
    'Tests',
    [column('Test'), column('Verdict'), column('Duration', true)],
    tests.map(
      ({ title, status, durationMs }) =>
        html`<tr><td>${text(title) ?? 'Script'}</td><td>${label(TEST_VERDICTS[String(status)] ?? { words: String(status), look: 'none' })}</td><td class="num">${status === 'skipped' ? '–' : durationText(count(durationMs))}</td></tr>`,
    ),
  );

const WRITERS: Readonly<Record<string, string>> = {
  page: 'Page',
  'page-error': 'Page error',
  script: 'Script',
};

/** Returns the class of a log line by its level; unknown levels have none. */
function loudness({ from, level }: Fields): Markup | false {
  if (from === 'page-error' || level === 'error' || level === 'stderr') return html` class="is-error"`;
  return level === 'warning' && html` class="is-warning"`;
}

function consoleLines(lines: readonly Fields[], dropped: number): Markup {
  return html`<div class="card scroll" role="group" aria-label="Console lines" tabindex="0"><ol class="console">${lines.map(
    (line) =>
      html`<li${loudness(line)}><span class="when">${(count(line.atMs) / 1000).toFixed(2)} s</span><span class="who">${WRITERS[String(line.from)] ?? 'Script'}${text(line.level) !== undefined && line.from === 'page' && html` · ${line.level as string}`}</span><code>${text(line.text)}</code></li>`,
  )}</ol></div>${dropped > 0 && html`<p class="muted small">${dropped} more ${dropped === 1 ? 'line' : 'lines'} exceeded the limit and ${dropped === 1 ? 'was' : 'were'} not stored.</p>`}`;
}

const LEVELS: Readonly<Record<string, string>> = {
  uid: 'Separate user ID (uid)',
  namespace: 'Separate namespaces (namespace)',
  process: 'Separate process only (process)',
};

/** `12 passed, 1 failed`: how many tests of a suite came to what; undefined where nothing says so. */
export function countsWords(details: Fields): string | undefined {
  const counts = fields(details.counts);
  const told = ['passed', 'failed', 'flaky', 'skipped'].filter((word) => count(counts[word]) > 0);
  return told.length === 0 ? undefined : told.map((word) => `${count(counts[word])} ${word}`).join(', ');
}

/** How far the scripts of a result were kept apart, and why no further. */
export function isolationFacts({ isolation }: Fields): (readonly [string, Value])[] {
  const { level: given, reason } = fields(isolation);
  const level = text(given);
  const pairs: (readonly [string, Value | undefined])[] = [
    ['Isolation', level === undefined ? undefined : (LEVELS[level] ?? level)],
    ['Reason for this level', text(reason)],
  ];
  return pairs.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined);
}

function surroundings(details: Fields): (readonly [string, Value])[] {
  const { chromiumSandbox } = fields(details.isolation);
  const browser = text(details.browser);
  const { domain, daysLeft, problem } = fields(details.sslCheck);
  const left = typeof daysLeft === 'number' ? `${daysLeft} days left` : undefined;
  const told: (readonly [string, Value | undefined])[] = [
    ['Tests', countsWords(details)],
    ['Duration', details.durationMs === undefined ? undefined : durationText(count(details.durationMs))],
    ['Engine', text(details.engine)],
    ...isolationFacts(details),
    [
      'Chromium sandbox',
      // Where no browser was asked for, it had nothing to hold.
      typeof chromiumSandbox === 'boolean' && browser !== undefined
        ? chromiumSandbox
          ? 'On'
          : 'Off'
        : undefined,
    ],
    ['Browser', browser],
    ['Playwright', text(details.playwright)],
    ['Runtime', text(details.runtime)],
    [
      `Certificate of ${text(domain) ?? ''}`,
      text(domain) === undefined ? undefined : (text(problem) ?? left),
    ],
  ];
  return told.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined);
}
