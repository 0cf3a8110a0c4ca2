/**
 * Renders the result of an agentic check: summary, statements, steps and the output of its browser. Stored details are
 * untrusted.
 */

import { html, type Markup } from '../../notify/rendering/markup.ts';
import { renderBrowserDetails } from './browser-html.ts';
import { asCount, asObject, asObjects, asText, asTexts, type JsonObject } from './details.ts';
import { formatBytes } from './format.ts';
import { renderSection } from './layout.ts';
import { type Fact, renderColumn, renderFacts, renderTable } from './run-components.ts';
import { renderVerdict } from './verdicts.ts';

export function renderAgenticDetails(details: JsonObject, linkTo: (artifactId: string) => string): Markup {
  const statements = asObjects(details.assertions);
  const steps = asObjects(details.steps);
  const transcript = asObjects(details.artifacts).find(({ kind }) => kind === 'transcript');
  const summary = asText(details.summary);
  return html`${summary !== undefined && renderSection('summary', 'Model summary', html`<div class="card"><p>${summary}</p></div>`)}
${statements.length > 0 && renderSection('statements', 'Statements', html`<ul class="card checks">${statements.map(renderStatement)}</ul>`)}
${steps.length > 0 && renderSection('steps', 'Steps', renderSteps(steps))}
${renderSection('model', 'Model', html`<div class="card stack-s">${renderFacts(modelFacts(details))}${transcript && html`<p><a href="${linkTo(encodeURIComponent(String(transcript.id)))}" download>Transcript</a> <span class="muted">${formatBytes(asCount(transcript.bytes))}</span></p>`}</div>`)}
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
