/**
 * Formats the report as JUnit XML: a testsuite for each session, with a testcase for each location. The file contains a failure or an
 * error if and only if the gate did not pass, so that it agrees with the exit code.
 */
import { EXIT } from '../../base/exits.ts';
import { absenceText } from '../format/lines.ts';
import { isFailed } from '../format/suite.ts';
import type { ReportData, ResultData, SessionData, SessionOutcome } from './data.ts';
import { fitWithin } from './size.ts';

/** Maximum size in bytes: most reporting services reject files of tens of megabytes. */
const MOST_BYTES = 8_000_000;

type Kind = 'failure' | 'error' | 'skipped' | 'passed';

interface Case {
  readonly kind: Kind;
  readonly classname: string;
  readonly name: string;
  /** The first text that a reader sees: the reason, or a note about a success. */
  readonly message: string;
  readonly type?: string;
  readonly details?: readonly (string | null)[];
  /** Its own duration in ms, if known. */
  readonly took?: number | null;
}

interface Suite {
  readonly name: string;
  readonly session?: SessionData;
  readonly cases: readonly Case[];
  /** Number of results that are not listed. */
  readonly leftOut?: number;
}

const KINDS: Readonly<Record<SessionOutcome, Kind>> = {
  failed: 'failure',
  error: 'error',
  skipped: 'skipped',
  good: 'passed',
};

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
const titleOf = (session: SessionData): string => session.name ?? session.id;

/** Breaks double brackets: some readers attach files and set properties named in them. */
const defused = (text: string): string => text.replaceAll('[[', '[ [');

function caseElement({ kind, classname, name, message, type, details = [], took = null }: Case): Element {
  const text = defused([message, ...details].filter((line) => line !== null && line !== '').join('\n'));
  const children: readonly Element[] =
    kind === 'passed'
      ? message === ''
        ? []
        : [{ name: 'system-out', children: text }]
      : kind === 'skipped'
        ? [{ name: 'skipped', children: text }]
        : [{ name: kind, attributes: { message, type: type ?? kind }, children: text }];
  const time = took === null ? null : seconds(took);
  return { name: 'testcase', attributes: { classname, name, time }, children };
}

const count = (cases: readonly Case[], kind: Kind): number =>
  cases.filter((each) => each.kind === kind).length;

function suiteElement({ name, session, cases, leftOut = 0 }: Suite, startedAt: number): Element {
  const properties = Object.entries({
    id: session?.id,
    checkId: session?.checkId,
    status: session?.status,
    verdict: session?.verdict,
    link: session?.link,
    resultsLeftOut: leftOut === 0 ? undefined : String(leftOut),
  }).flatMap(([key, value]) => (value ? [{ name: 'property', attributes: { name: key, value } }] : []));
  return {
    name: 'testsuite',
    attributes: {
      name,
      tests: cases.length,
      failures: count(cases, 'failure'),
      errors: count(cases, 'error'),
      skipped: count(cases, 'skipped'),
      time: seconds(session?.timeElapsed ?? 0),
      timestamp: session?.startedAt ?? new Date(startedAt).toISOString(),
    },
    children: [
      ...(properties.length > 0 ? [{ name: 'properties', children: properties }] : []),
      ...cases.map(caseElement),
    ],
  };
}

/** Returns the testcase of one result. */
function resultCase(session: SessionData, result: ResultData): Case {
  const title = titleOf(session);
  const where = result.location === null ? '' : ` at ${result.location}`;
  const text = result.error === null ? `${result.result}${where}` : `${result.result}: ${result.error}`;
  const shared = {
    classname: result.name ?? title,
    name: result.location ?? result.name ?? title,
    type: result.result,
    details: [session.verdict === null ? null : session.error, result.link],
    // The duration of the session covers all of its results.
    took: result.responseTime ?? (session.results.length === 1 ? session.timeElapsed : null),
  };
  if (result.isBad) return { ...shared, kind: KINDS[session.outcome], message: text };
  if (result.result === 'PASSED') return { ...shared, kind: 'passed', message: '' };
  const isAllowed = result.result === 'DEGRADED' && session.verdict === 'degraded';
  const note = isAllowed
    ? `${text} (allowed by this gate)`
    : `${text}; only the status of the session counts, which is ${session.status}`;
  return { ...shared, kind: 'passed', message: note, details: [] };
}

/** Returns one testcase per test of a suite; the result itself if the tests do not explain the verdict. */
function suiteCases(session: SessionData, result: ResultData): readonly Case[] {
  const whole = resultCase(session, result);
  const tests = result.suite?.tests ?? [];
  const isExplained = tests.some(isFailed) === (whole.kind !== 'passed');
  if (tests.length === 0 || !isExplained) return [whole];
  const where = result.location === null ? '' : ` at ${result.location}`;
  return tests.map(({ title, status, took, error }): Case => {
    const shared = { classname: `${whole.classname}${where}`, name: title, took };
    if (status === 'skipped') return { ...shared, kind: 'skipped', message: 'skipped by the suite' };
    if (!isFailed({ status })) return { ...shared, kind: 'passed', message: '' };
    const [first = status, ...rest] = error;
    return {
      ...shared,
      kind: whole.kind,
      type: result.result,
      message: first,
      details: [...rest, result.link],
    };
  });
}

/** Returns one testcase for a session: without results, if they do not explain its verdict, or if there is no room for them. */
function sessionCase(session: SessionData): Case {
  const title = titleOf(session);
  const kind = KINDS[session.outcome];
  const isDegraded = session.verdict === 'degraded';
  const text = session.error === null ? session.status : `${session.status}: ${session.error}`;
  const bad = session.results.filter((result) => result.isBad && result.location !== null);
  const where = bad.length > 0 ? `failed at ${bad.length} of ${session.results.length} locations` : null;
  return {
    kind,
    classname: title,
    name: title,
    type: session.status,
    took: session.timeElapsed,
    message: kind === 'passed' ? (isDegraded ? `${text} (allowed by this gate)` : '') : text,
    details: kind === 'passed' ? [] : [where, `session ${session.id}`, session.link],
  };
}

function suiteOf(session: SessionData): Suite {
  const whole = sessionCase(session);
  const cases = session.results.flatMap((result) => suiteCases(session, result));
  const isExplained = session.outcome === 'good' || cases.some(({ kind }) => kind === whole.kind);
  if (session.outcome === 'skipped' || cases.length === 0)
    return { name: whole.name, session, cases: [whole] };
  return { name: whole.name, session, cases: isExplained ? cases : [whole, ...cases] };
}

const shortSuite = (session: SessionData): Suite => ({
  name: titleOf(session),
  session,
  cases: [sessionCase(session)],
  leftOut: session.results.length,
});

/** Returns one testcase per outcome of the sessions that are not listed, so that bad ones still count as bad. */
function leftOutSuite(sessions: readonly SessionData[], noun: string): readonly Suite[] {
  const cases = (['failed', 'error', 'skipped', 'good'] as const).flatMap((outcome): readonly Case[] => {
    const number = sessions.filter((session) => session.outcome === outcome).length;
    if (number === 0) return [];
    const message = `${number} more ${noun}s not listed`;
    return [{ kind: KINDS[outcome], classname: 'sonde', name: `other sessions: ${outcome}`, message }];
  });
  return cases.length === 0 ? [] : [{ name: 'other sessions', cases }];
}

const MOST_UNSTARTED = 1000;

function unstartedSuite({ unstarted, noun }: ReportData): readonly Suite[] {
  if (unstarted.length === 0) return [];
  const rest = unstarted.length - MOST_UNSTARTED;
  const names = [
    ...unstarted.slice(0, MOST_UNSTARTED).map((id) => `check ${id}`),
    ...(rest > 0 ? [`${rest} more checks`] : []),
  ];
  const message = `the service ${absenceText(noun)}; the verdict is unknown`;
  const cases = names.map((name): Case => ({ kind: 'error', classname: 'sonde', name, message }));
  return [{ name: 'not started', cases }];
}

/** Returns the gate as a testcase: used if nothing else shows that it failed, or if there is nothing else. */
function gateSuite({ exitCode, sentence }: ReportData): Suite {
  const kind = exitCode === EXIT.done ? 'passed' : exitCode === EXIT.badVerdict ? 'failure' : 'error';
  return {
    name: 'sonde',
    cases: [
      { kind, classname: 'sonde', name: 'gate', message: sentence, details: [`exit code ${exitCode}`] },
    ],
  };
}

/** Returns the whole file. */
export function toJunit(facts: ReportData): string {
  const suites = new Map(facts.sessions.map((session) => [session, suiteOf(session)]));
  const whole = (session: SessionData): Suite => suites.get(session) ?? suiteOf(session);
  const all = [...suites.values(), ...unstartedSuite(facts)];
  const isBad = all.some(({ cases }) => cases.some(({ kind }) => kind === 'failure' || kind === 'error'));
  const isExplained = facts.exitCode === 0 ? all.length > 0 : isBad;
  const first = isExplained ? [] : [gateSuite(facts)];
  const write = (suite: Suite) => writeXml(suiteElement(suite, facts.startedAt), '  ');
  const fitted = fitWithin(facts.sessions, MOST_BYTES, {
    full: (session) => write(whole(session)),
    short: (session) => write(shortSuite(session)),
  });
  const listed = facts.sessions
    .slice(0, fitted.texts.length)
    .map((session, index) => (fitted.inFull[index] ? whole(session) : shortSuite(session)));
  const last = [...leftOutSuite(fitted.leftOut, facts.noun), ...unstartedSuite(facts)];
  const cases = [...first, ...listed, ...last].flatMap((suite) => suite.cases);
  const root: Element = {
    name: 'testsuites',
    attributes: {
      name: 'sonde',
      tests: cases.length,
      failures: count(cases, 'failure'),
      errors: count(cases, 'error'),
      time: seconds(facts.tookMs),
    },
    children: [...first.map(write), ...fitted.texts, ...last.map(write)].map((xml) => ({ xml })),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${writeXml(root)}`;
}

export interface Element {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string | number | null>>;
  /** A text, or elements; XML that is already written is copied. */
  readonly children?: string | readonly (Element | RawXml)[];
}

/** XML that is already written. */
export interface RawXml {
  readonly xml: string;
}

/** Characters that XML 1.0 cannot express, such as lone surrogates. */
const FORBIDDEN = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const SPECIAL: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const PLAIN = /^[ !#-%'-;=?-~]*$/;

const escaped = (text: string, special: RegExp): string =>
  PLAIN.test(text)
    ? text
    : text.replace(FORBIDDEN, '\ufffd').replace(special, (character) => SPECIAL[character] ?? '');

/** Escapes line breaks in attributes and carriage returns in texts, which readers would change. */
const attributeText = (text: string): string => escaped(text, /[&<>"\t\n\r]/g);
const elementText = (text: string): string => escaped(text, /[&<>\r]/g);

/** Writes an element and its children, indented. */
export function writeXml(element: Element | RawXml, indent = ''): string {
  if ('xml' in element) return element.xml;
  const { name, attributes = {}, children = [] } = element;
  const attributeList = Object.entries(attributes)
    .map(([key, value]) => (value === null ? '' : ` ${key}="${attributeText(String(value))}"`))
    .join('');
  if (children.length === 0) return `${indent}<${name}${attributeList}/>\n`;
  if (typeof children === 'string')
    return `${indent}<${name}${attributeList}>${elementText(children)}</${name}>\n`;
  const inner = children.map((child) => writeXml(child, `${indent}  `)).join('');
  return `${indent}<${name}${attributeList}>\n${inner}${indent}</${name}>\n`;
}
