/** The page of one result: what was asked, what came back, and how it was judged. */
import type { AssertionResult } from '../../../runners/assertions/types.ts';
import { html, type Markup } from '../../notify/rendering/markup.ts';
import type { ResultRecord } from '../../store/engine/results.ts';
import { agenticParts } from './agentic-html.ts';
import { browserParts } from './browser-html.ts';
import type { Fields } from './details.ts';
import { dnsParts } from './dns-html.ts';
import { heartbeatParts, httpParts, icmpParts, tcpParts } from './exchange-html.ts';
import {
  column,
  errorsOf,
  facts,
  locationWords,
  responseWords,
  runPage,
  section,
  table,
} from './run-parts.ts';
import type { Page } from './shell.ts';
import { label, resultVerdict, verdictBanner } from './verdicts.ts';
import { time } from './words.ts';

export interface ResultPageOptions {
  /** All attempts of the same run, this one among them, the first first. */
  readonly attempts: readonly ResultRecord[];
  readonly resultLink: (id: string) => string;
  /** Where a picture or trace of this result is, by its id. */
  readonly artifactLink: (id: string) => string;
  readonly sessionLink: string;
}

export function resultPage(
  row: ResultRecord,
  { attempts, resultLink, artifactLink, sessionLink }: ResultPageOptions,
): Page {
  const details = JSON.parse(row.details) as Fields;
  const assertions = Array.isArray(details.assertions) ? details.assertions.filter(isAssertion) : [];
  const hasErrors = row.errors !== '[]';
  return runPage(
    row.check_name,
    html`<div class="stack"><p class="crumb"><a href="${sessionLink}">All results of this session</a></p>${verdictBanner(resultVerdict(row), row.check_name)}</div>
<section class="card" aria-label="About this result">${facts([
      ['Location', locationWords(row.location)],
      ['Started', time(row.started_at, true)],
      ['Response time', responseWords(row.response_time_us)],
      ['Attempt', `${row.attempt + 1} of ${attempts.length}`],
    ])}</section>
${hasErrors && section('wrong', 'Errors', html`<div class="card stack-s">${errorsOf(row)}</div>`)}
${assertions.length > 0 && section('assertions', 'Assertions', assertionList(assertions))}
${found(row.check_type, details, artifactLink)}
${attempts.length > 1 && section('attempts', 'Attempts', attemptTable(attempts, row, resultLink))}`,
  );
}

/** What a run of each type found; of a type that nothing is known of, nothing. */
function found(type: string, details: Fields, linkTo: (id: string) => string): Markup | false {
  const scripted = () => browserParts(details, linkTo);
  const parts: Readonly<Record<string, () => Markup | false>> = {
    DNS: () => dnsParts(details.dns),
    ...{ URL: () => httpParts(details), API: () => httpParts(details) },
    ...{ TCP: () => tcpParts(details), ICMP: () => icmpParts(details) },
    HEARTBEAT: () => heartbeatParts(details),
    ...{ BROWSER: scripted, MULTI_STEP: scripted, PLAYWRIGHT: scripted },
    AGENTIC: () => agenticParts(details, linkTo),
  };
  // What was never begun left nothing.
  const isEmpty = Object.keys(details).length === 0;
  return !isEmpty && Object.hasOwn(parts, type) && (parts[type]?.() ?? false);
}

/** A value as people read it: text as it is, all else as JSON. */
const shown = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value ?? null) ?? '');

/** The whole of an answer stands below: of a long value its beginning is enough to see what is wrong. */
const LONGEST_SHOWN = 300;
const beginningOf = (text: string): string =>
  text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN)}…`;

/** What an agent reports may be anything. */
const isAssertion = (given: unknown): given is AssertionResult => {
  const texts = (given ?? {}) as Readonly<Record<string, unknown>>;
  return ['source', 'property', 'comparison', 'target'].every((name) => typeof texts[name] === 'string');
};

/** Not a table: what is expected and what came are long, and a phone has no room for them side by side. */
function assertionList(assertions: readonly AssertionResult[]): Markup {
  return html`<ul class="card checks">${assertions.map(
    ({ passed, source, property, comparison, target, actual }) =>
      html`<li><div class="row"><p class="name">${words(source)}${property !== '' && html` <code>${property}</code>`}</p>${label(passed ? { words: 'Passed', look: 'operational' } : { words: 'Failed', look: 'outage' })}</div><dl><div><dt>Expected</dt><dd>${words(comparison).toLowerCase()}${target !== '' && html` <code>${target}</code>`}</dd></div><div><dt>Actual</dt><dd><code>${beginningOf(shown(actual))}</code></dd></div></dl></li>`,
  )}</ul>`;
}

/** `JSON_ANSWER` → `JSON answer` */
const words = (name: string): string =>
  (name.charAt(0) + name.slice(1).toLowerCase().replaceAll('_', ' ')).replace(/^Json/, 'JSON');

/** A phone leaves it to the attempt's own page. */
const STARTED = html`<th scope="col" class="less">Started</th>`;

function attemptTable(
  attempts: readonly ResultRecord[],
  current: ResultRecord,
  resultLink: (id: string) => string,
): Markup {
  return table(
    'Attempts',
    [column('Attempt'), column('Verdict'), STARTED, column('Response time', true)],
    attempts.map(
      (row) =>
        html`<tr><td>${row.id === current.id ? html`<strong aria-current="page">${row.attempt + 1} (this page)</strong>` : html`<a href="${resultLink(row.id)}">Attempt ${row.attempt + 1}</a>`}</td><td>${label(resultVerdict(row))}</td><td class="less">${time(row.started_at, true)}</td><td class="num">${responseWords(row.response_time_us)}</td></tr>`,
    ),
  );
}
