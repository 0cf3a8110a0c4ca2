/**
 * Compiles Handlebars templates of webhook bodies. Supports only variables, if, unless, each, eq and contains, because users
 * write templates, and a template must not reach anything but the facts of the alert.
 */

import Handlebars from 'handlebars';
import type { JsonObject } from '../../../base/object.ts';
import { formatSize } from '../../../base/size.ts';
import { type AlertFacts, formatAlertError, formatTitle } from '../facts/alert-facts.ts';
import { daysLeftOf } from '../facts/certificate-facts.ts';
import { escapeMarkup } from '../rendering/markup.ts';
import { TemplateError, type VARIABLES, validateStatement } from './validate-template.ts';

type Value = string | number | null | readonly string[];
type Values = Readonly<Record<(typeof VARIABLES)[number], Value>>;

export const MAX_TEMPLATE_LENGTH = 16_384;
/** Parsing time is superlinear: a template with this many expressions takes tens of milliseconds. */
const MAX_EXPRESSIONS = 500;
/** Maximum size of a body, in bytes. */
const MAX_BODY_BYTES = 256 * 1024;

/** The facts of an alert make the body too large. The message is a sentence without a full stop. */
export class BodyTooLarge extends TemplateError {
  override readonly name = 'BodyTooLarge';
  constructor() {
    super(
      `the rendered body is larger than ${formatSize(MAX_BODY_BYTES)}: use long variables less often, especially inside #each`,
    );
  }
}

export function getTemplateValues(facts: AlertFacts): Values {
  const { check, run, certificate } = facts;
  return {
    ALERT_TITLE: formatTitle(facts),
    ALERT_TYPE: facts.kind,
    CHECK_ID: check.id,
    CHECK_NAME: check.name,
    CHECK_TYPE: check.type,
    CHECK_RESULT_ID: run?.resultId ?? null,
    CHECK_SESSION_ID: run?.sessionId ?? null,
    CHECK_ERROR_MESSAGE: run?.error ?? (facts.location === undefined ? '' : formatAlertError(facts)),
    GROUP_NAME: facts.groupName,
    RUN_LOCATION: run?.location ?? null,
    RESPONSE_TIME: run?.responseTime ?? null,
    RESULT_LINK: facts.link,
    STARTED_AT: run === null ? null : new Date(run.startedAt).toISOString(),
    SENT_AT: new Date(facts.at).toISOString(),
    SINCE: new Date(facts.since).toISOString(),
    TAGS: facts.tags,
    ALERT_CHANGES: facts.changes ?? [],
    RECENT_RESULTS: facts.recent ?? '',
    SSL_CHECK_DOMAIN: certificate?.hosts[0] ?? null,
    SSL_DAYS_REMAINING: certificate === undefined ? null : daysLeftOf(certificate, facts.at),
  };
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const isJsonType = (contentType: string) => /[/+]json\b/i.test(contentType);

/** A form to Telegram's API whose text is HTML. */
const HTML_FORM = /(?:^|&)parse_mode=HTML(?:&|$)/;

/** Returns the function that escapes values for a content type. */
function escapeFor(contentType: string, template: string): (text: string) => string {
  if (isJsonType(contentType)) return inJson;
  if (/[/+](?:xml|html)\b/i.test(contentType)) return escapeMarkup;
  if (!/x-www-form-urlencoded/i.test(contentType)) return (text) => text;
  return HTML_FORM.test(template) ? (text) => encodeURIComponent(escapeMarkup(text)) : encodeURIComponent;
}

type Render = (facts: AlertFacts) => string;

const CACHE_SIZE = 200;
/** Recently used templates: each alert of each channel renders one. */
const cache = new Map<string, Render>();

/** Validates and compiles a template; `Render` throws BodyTooLarge. @throws TemplateError */
export function compileTemplate(template: string, contentType: string): Render {
  const key = `${contentType}\n${template}`;
  const render = cache.get(key) ?? compile(template, contentType);
  cache.delete(key);
  cache.set(key, render);
  const [oldest] = cache.keys();
  if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
  return render;
}

function compile(template: string, contentType: string): Render {
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new TemplateError(`must have at most ${MAX_TEMPLATE_LENGTH} characters`);
  }
  if (template.split('{{').length - 1 > MAX_EXPRESSIONS) {
    throw new TemplateError(`must have at most ${MAX_EXPRESSIONS} expressions`);
  }
  let program: hbs.AST.Program;
  try {
    program = Handlebars.parse(template);
  } catch (error) {
    throw new TemplateError(`is not a valid Handlebars template: ${formatParseError(error)}`);
  }
  for (const statement of program.body) validateStatement(statement, false);
  const escaped = escapeFor(contentType, template);
  const missingNumber = isJsonType(contentType) ? 'null' : '';
  const escapeValue = (value: Value): unknown => {
    if (typeof value === 'string') return escaped(value);
    if (Array.isArray(value)) return value.map((item: string) => escaped(item));
    return value ?? '';
  };
  return (facts) => {
    const data: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(getTemplateValues(facts))) data[name] = escapeValue(value);
    // Templates use numbers without quotes: JSON needs null for a missing one.
    for (const name of ['RESPONSE_TIME', 'SSL_DAYS_REMAINING'])
      if (data[name] === '') data[name] = missingNumber;
    return renderBody(program.body, data);
  };
}

/** Evaluates the condition of a block. `other`: the text that eq and contains compare with. */
function isMet(name: string, value: unknown, other: hbs.AST.Expression | undefined): boolean {
  if (name === 'if' || name === 'unless') return isTruthy(value) === (name === 'if');
  const { value: text = '' } = (other ?? {}) as Partial<hbs.AST.StringLiteral>;
  if (name === 'eq') return String(value ?? '') === text;
  return Array.isArray(value) ? value.includes(text) : String(value ?? '').includes(text);
}

/** Follows Handlebars: an empty list is falsy. */
const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/**
 * Renders validated statements. Interprets them and counts each step and byte, so that no template takes much time or
 * memory. @throws BodyTooLarge
 */
function renderBody(statements: readonly hbs.AST.Statement[], data: JsonObject): string {
  const parts: string[] = [];
  let left = MAX_BODY_BYTES;
  const resolveVariable = (path: hbs.AST.Expression, item: JsonObject): unknown => {
    const { original } = path as hbs.AST.PathExpression;
    return Object.hasOwn(item, original) ? item[original] : data[original.replace('../', '')];
  };
  const append = (text: string) => {
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) throw new BodyTooLarge();
    parts.push(text);
  };
  function render(some: readonly hbs.AST.Statement[] = [], item: JsonObject = {}): void {
    for (const statement of some) {
      if (statement.type === 'ContentStatement') append((statement as hbs.AST.ContentStatement).value);
      else if (statement.type === 'MustacheStatement')
        append(String(resolveVariable((statement as hbs.AST.MustacheStatement).path, item) ?? ''));
      else if (statement.type === 'BlockStatement') renderBlock(statement as hbs.AST.BlockStatement, item);
    }
  }
  function renderBlock({ path, params, program, inverse }: hbs.AST.BlockStatement, item: JsonObject): void {
    append('');
    const [param, other] = params;
    const value = param && resolveVariable(param, item);
    const { original } = path;
    if (original !== 'each') {
      const isMainBranch = isMet(original, value, other);
      render((isMainBranch ? program : inverse)?.body, item);
      return;
    }
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (list.length === 0) render(inverse?.body, item);
    for (const [index, one] of list.entries()) {
      append('');
      render(program.body, {
        this: one,
        '.': one,
        '@index': index,
        '@first': index === 0,
        '@last': index === list.length - 1,
      });
    }
  }
  render(statements);
  return parts.join('');
}

/** Renders samples and checks that a JSON template makes valid JSON. @throws TemplateError */
export function validateRenderedBody(render: Render, contentType: string): void {
  if (!isJsonType(contentType)) return;
  for (const facts of SAMPLES) {
    try {
      JSON.parse(render(facts));
    } catch (error) {
      if (error instanceof BodyTooLarge) throw error;
      const problem = error instanceof Error ? error.message : String(error);
      throw new TemplateError(
        `does not render valid JSON (${problem}): quote strings, or set another content-type header on the channel`,
      );
    }
  }
}

const SAMPLE: AlertFacts = {
  kind: 'ALERT_FAILURE',
  at: 0,
  since: 0,
  groupName: null,
  tags: [],
  run: null,
  link: null,
  check: { id: 'id', name: 'name', type: 'DNS' },
};
const SAMPLES: readonly AlertFacts[] = [
  SAMPLE,
  {
    ...SAMPLE,
    groupName: 'a "group"',
    tags: ['a"b', 'c'],
    link: 'https://example.com/',
    check: { ...SAMPLE.check, name: 'say "hi" \\ \n' },
    run: { sessionId: 's', resultId: 'r', location: 'l', error: 'a\n"b"', responseTime: 1.5, startedAt: 0 },
  },
];

/** Formats a parse error of Handlebars on one line: position and detail. */
function formatParseError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = /on line (\d+)/.exec(message)?.[1];
  const detail = message.split('\n').at(-1) ?? message;
  return line === undefined ? message : `line ${line}: ${detail}`;
}
