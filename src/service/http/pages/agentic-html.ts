/** What a model found in an agentic check: its summary, its statements and its steps, above what its browser left. Details are read as they were stored. */
import { html, type Markup, type Value } from '../../notify/rendering/markup.ts';
import { browserParts } from './browser-html.ts';
import { count, type Fields, fields, list, text, texts } from './details.ts';
import { column, facts, section, table } from './run-parts.ts';
import { label } from './verdicts.ts';
import { sizeWords } from './words.ts';

export function agenticParts(details: Fields, linkTo: (artifactId: string) => string): Markup {
  const statements = list(details.assertions);
  const steps = list(details.steps);
  const transcript = list(details.artifacts).find(({ kind }) => kind === 'transcript');
  const summary = text(details.summary);
  return html`${summary !== undefined && section('summary', 'Model summary', html`<div class="card"><p>${summary}</p></div>`)}
${statements.length > 0 && section('statements', 'Statements', html`<ul class="card checks">${statements.map(statement)}</ul>`)}
${steps.length > 0 && section('steps', 'Steps', stepTable(steps))}
${section('model', 'Model', html`<div class="card stack-s">${facts(aboutModel(details))}${transcript && html`<p><a href="${linkTo(encodeURIComponent(String(transcript.id)))}" download>Transcript</a> <span class="muted">${sizeWords(count(transcript.bytes))}</span></p>`}</div>`)}
${browserParts(details, linkTo)}`;
}

const statement = ({ statement: words, holds }: Fields): Markup =>
  html`<li><div class="row"><p class="name">${text(words) ?? ''}</p>${label(holds === true ? { words: 'Holds', look: 'operational' } : { words: 'Does not hold', look: 'outage' })}</div></li>`;

const stepTable = (steps: readonly Fields[]): Markup =>
  table(
    'Steps',
    [column('Step'), column('Input'), column('Time', true)],
    steps.map(
      ({ tool, with: given, atMs }) =>
        html`<tr><td>${text(tool) ?? ''}</td><td>${text(given) ?? ''}</td><td class="num">${(count(atMs) / 1000).toFixed(1)} s</td></tr>`,
    ),
  );

function aboutModel(details: Fields): (readonly [string, Value])[] {
  const { answers, tokens, isEstimated } = fields(details.usage);
  const blocked = texts(details.blocked);
  const told: (readonly [string, Value | undefined])[] = [
    ['Model', text(details.model)],
    ['Responses', answers === undefined ? undefined : String(count(answers))],
    ['Tokens', tokens === undefined ? undefined : `${isEstimated === true ? 'about ' : ''}${count(tokens)}`],
    ['Allowed hosts', texts(details.hosts).join(', ') || undefined],
    ['Blocked hosts', blocked.length > 0 ? blocked.join(', ') : undefined],
  ];
  return told.filter((pair): pair is readonly [string, Value] => pair[1] !== undefined);
}
