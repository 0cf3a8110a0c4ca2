/**
 * Bodies of webhooks from a Handlebars template over the facts of an alert. Only a part of Handlebars is allowed (variables,
 * if, unless, each): a template comes from a user, and nothing of it may reach beyond the facts.
 */
import Handlebars from 'handlebars';
import { formatSize } from '../../../base/size.ts';
import { escapeMarkup } from '../rendering/markup.ts';
import { type AlertFacts, formatTitle } from './alert-facts.ts';
import { TemplateError, type VARIABLES, validateTemplate } from './validate-template.ts';

type Variable = (typeof VARIABLES)[number];
type Value = string | number | null | readonly string[];
type Values = Readonly<Record<Variable, Value>>;

export const MAX_TEMPLATE_LENGTH = 16_384;
/** Parsing takes longer than the text grows: a template with this many expressions takes tens of milliseconds. */
const MOST_EXPRESSIONS = 500;
/** A body may have as many bytes. */
const LARGEST_BODY = 256 * 1024;

/** A body that a template makes of some facts, though not of all. The message is a whole sentence without a full stop. */
export class BodyTooLarge extends TemplateError {
  override readonly name = 'BodyTooLarge';
  constructor() {
    super(
      `the rendered body is larger than ${formatSize(LARGEST_BODY)}: use long variables less often, especially inside #each`,
    );
  }
}

export function getTemplateValues(facts: AlertFacts): Values {
  const { check, run } = facts;
  return {
    ALERT_TITLE: formatTitle(facts),
    ALERT_TYPE: facts.kind,
    CHECK_ID: check.id,
    CHECK_NAME: check.name,
    CHECK_TYPE: check.type,
    CHECK_RESULT_ID: run?.resultId ?? null,
    CHECK_SESSION_ID: run?.sessionId ?? null,
    CHECK_ERROR_MESSAGE: run?.error ?? '',
    GROUP_NAME: facts.groupName,
    RUN_LOCATION: run?.location ?? null,
    RESPONSE_TIME: run?.responseTime ?? null,
    RESULT_LINK: facts.link,
    STARTED_AT: run === null ? null : new Date(run.startedAt).toISOString(),
    SENT_AT: new Date(facts.at).toISOString(),
    SINCE: new Date(facts.since).toISOString(),
    TAGS: facts.tags,
  };
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const isJsonType = (contentType: string) => /[/+]json\b/i.test(contentType);

/** How a value is written so that it stays a value in what the template makes. */
function escapeFor(contentType: string): (text: string) => string {
  if (isJsonType(contentType)) return inJson;
  if (/[/+](?:xml|html)\b/i.test(contentType)) return escapeMarkup;
  return /x-www-form-urlencoded/i.test(contentType) ? encodeURIComponent : (text) => text;
}

type Render = (facts: AlertFacts) => string;

const KEPT = 200;
/** The templates used last: each alert of each channel renders one. */
const compiled = new Map<string, Render>();

/** Judges a template; `Render` throws BodyTooLarge. @throws TemplateError which tells the place, the rule and the way out. */
export function compileTemplate(template: string, contentType: string): Render {
  const key = `${contentType}\n${template}`;
  const render = compiled.get(key) ?? compile(template, contentType);
  compiled.delete(key);
  compiled.set(key, render);
  const [oldest] = compiled.keys();
  if (compiled.size > KEPT && oldest !== undefined) compiled.delete(oldest);
  return render;
}

function compile(template: string, contentType: string): Render {
  if (template.length > MAX_TEMPLATE_LENGTH) {
    throw new TemplateError(`must have at most ${MAX_TEMPLATE_LENGTH} characters`);
  }
  if (template.split('{{').length - 1 > MOST_EXPRESSIONS) {
    throw new TemplateError(`must have at most ${MOST_EXPRESSIONS} expressions`);
  }
  let program: hbs.AST.Program;
  try {
    program = Handlebars.parse(template);
  } catch (error) {
    throw new TemplateError(`is not a valid Handlebars template: ${parseProblem(error)}`);
  }
  validateTemplate(program);
  const escaped = escapeFor(contentType);
  const nothing = isJsonType(contentType) ? 'null' : '';
  const written = (value: Value): unknown => {
    if (typeof value === 'string') return escaped(value);
    if (Array.isArray(value)) return value.map((item: string) => escaped(item));
    return value ?? '';
  };
  return (facts) => {
    const values = Object.entries(getTemplateValues(facts)).map(([name, value]) => [name, written(value)]);
    const data = Object.fromEntries(values) as Record<string, unknown>;
    // A number stands without quotes: where there is none, JSON needs a word for it.
    if (data.RESPONSE_TIME === '') data.RESPONSE_TIME = nothing;
    return bodyOf(program.body, data);
  };
}

/** What names within `each` mean, besides those of the facts. */
type Item = Readonly<Record<string, unknown>>;

/** As Handlebars has it: an empty list is false, too. */
const isTruthy = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value));

/**
 * The body that judged statements make. They are interpreted, not compiled: each step and each byte counts, so that no template
 * takes much time or memory. @throws BodyTooLarge
 */
function bodyOf(statements: readonly hbs.AST.Statement[], data: Item): string {
  const parts: string[] = [];
  let left = LARGEST_BODY;
  const named = (path: hbs.AST.Expression, item: Item): unknown => {
    const { original } = path as hbs.AST.PathExpression;
    return Object.hasOwn(item, original) ? item[original] : data[original.replace('../', '')];
  };
  const take = (text: string) => {
    left -= Buffer.byteLength(text) + 1;
    if (left < 0) throw new BodyTooLarge();
    parts.push(text);
  };
  function render(some: readonly hbs.AST.Statement[] = [], item: Item = {}): void {
    for (const statement of some) {
      if (statement.type === 'ContentStatement') take((statement as hbs.AST.ContentStatement).value);
      else if (statement.type === 'MustacheStatement')
        take(String(named((statement as hbs.AST.MustacheStatement).path, item)));
      else if (statement.type === 'BlockStatement') renderBlock(statement as hbs.AST.BlockStatement, item);
    }
  }
  function renderBlock({ path, params, program, inverse }: hbs.AST.BlockStatement, item: Item): void {
    take('');
    const [param] = params;
    const value = param && named(param, item);
    const { original } = path;
    if (original !== 'each') {
      const isMeant = isTruthy(value) === (original === 'if');
      render((isMeant ? program : inverse)?.body, item);
      return;
    }
    const list: readonly unknown[] = Array.isArray(value) ? value : [];
    if (list.length === 0) render(inverse?.body, item);
    for (const [index, one] of list.entries()) {
      take('');
      const [isFirst, isLast] = [index === 0, index === list.length - 1];
      render(program.body, {
        this: one,
        '.': one,
        '@index': index,
        '@first': isFirst,
        '@last': isLast,
      });
    }
  }
  render(statements);
  return parts.join('');
}

/** Whether what a template makes is what its content type says. @throws TemplateError */
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

/** A parse error of Handlebars, on one line: its place and what it met. */
function parseProblem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = /on line (\d+)/.exec(message)?.[1];
  const said = message.split('\n').at(-1) ?? message;
  return line === undefined ? message : `line ${line}: ${said}`;
}
