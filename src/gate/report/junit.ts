/**
 * The report as JUnit XML: a testsuite a session, a testcase a location. What keeps the gate from being green is a failure
 * or an error, and nothing else is: who reads the file and who reads the exit code learn the same.
 */
import { EXIT } from '../../base/exits.ts';
import { isFailed } from '../format/suite.ts';
import type { Facts, ResultFacts, SessionFacts, Standing } from './facts.ts';
import { withinSize } from './size.ts';
import { type Element, writeXml } from './xml.ts';

/** What reporting services still take: most refuse files of tens of megabytes. */
const MOST_BYTES = 8_000_000;

type Kind = 'failure' | 'error' | 'skipped' | 'passed';

interface Case {
  readonly kind: Kind;
  readonly classname: string;
  readonly name: string;
  /** What a reader sees first of it: why it is no success, or what is to be said of one. */
  readonly message: string;
  readonly type?: string;
  readonly details?: readonly (string | null)[];
  /** Milliseconds that it took, where that is known of it alone. */
  readonly took?: number | null;
}

interface Suite {
  readonly name: string;
  readonly session?: SessionFacts;
  readonly cases: readonly Case[];
  /** What the properties say beside the session's own. */
  readonly leftOut?: number;
}

const KINDS: Readonly<Record<Standing, Kind>> = {
  failed: 'failure',
  error: 'error',
  skipped: 'skipped',
  good: 'passed',
};

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
const titleOf = (session: SessionFacts): string => session.name ?? session.id;

/** Some readers attach files and set properties that the text of a testcase names in double brackets. */
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

/** What one result was, and what the session makes of it. */
function resultCase(session: SessionFacts, result: ResultFacts): Case {
  const title = titleOf(session);
  const where = result.location === null ? '' : ` at ${result.location}`;
  const told = result.error === null ? `${result.result}${where}` : `${result.result}: ${result.error}`;
  const shared = {
    classname: result.name ?? title,
    name: result.location ?? result.name ?? title,
    type: result.result,
    details: [result.link],
    // The session's time is that of all its results together.
    took: result.responseTime ?? (session.results.length === 1 ? session.timeElapsed : null),
  };
  if (result.isBad) return { ...shared, kind: KINDS[session.standing], message: told };
  if (result.result === 'PASSED') return { ...shared, kind: 'passed', message: '' };
  const isAllowed = result.result === 'DEGRADED' && session.verdict === 'degraded';
  const note = isAllowed
    ? `${told} (allowed by this gate)`
    : `${told}; only the status of the session counts, which is ${session.status}`;
  return { ...shared, kind: 'passed', message: note, details: [] };
}

/**
 * The tests of a suite, a testcase each; the result itself where they do not say what the gate makes of it, as where the suite
 * ended badly though no test failed.
 */
function suiteCases(session: SessionFacts, result: ResultFacts): readonly Case[] {
  const whole = resultCase(session, result);
  const tests = result.suite?.tests ?? [];
  const isTold = tests.some(isFailed) === (whole.kind !== 'passed');
  if (tests.length === 0 || !isTold) return [whole];
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

/** The session as one testcase: where it has no results, where they don't explain its end, and where there is no room. */
function sessionCase(session: SessionFacts): Case {
  const title = titleOf(session);
  const kind = KINDS[session.standing];
  const isDegraded = session.verdict === 'degraded';
  const told = session.error === null ? session.status : `${session.status}: ${session.error}`;
  const bad = session.results.filter((result) => result.isBad && result.location !== null);
  const where = bad.length > 0 ? `failed at ${bad.length} of ${session.results.length} locations` : null;
  return {
    kind,
    classname: title,
    name: title,
    type: session.status,
    took: session.timeElapsed,
    message: kind === 'passed' ? (isDegraded ? `${told} (allowed by this gate)` : '') : told,
    details: kind === 'passed' ? [] : [where, `session ${session.id}`, session.link],
  };
}

function suiteOf(session: SessionFacts): Suite {
  const whole = sessionCase(session);
  const cases = session.results.flatMap((result) => suiteCases(session, result));
  const isTold = session.standing === 'good' || cases.some(({ kind }) => kind === whole.kind);
  if (session.standing === 'skipped' || cases.length === 0)
    return { name: whole.name, session, cases: [whole] };
  return { name: whole.name, session, cases: isTold ? cases : [whole, ...cases] };
}

const shortSuite = (session: SessionFacts): Suite => ({
  name: titleOf(session),
  session,
  cases: [sessionCase(session)],
  leftOut: session.results.length,
});

/** A testcase for each sort of session that found no room: a bad one is never left out without being counted as bad. */
function leftOutSuite(sessions: readonly SessionFacts[], noun: string): readonly Suite[] {
  const cases = (['failed', 'error', 'skipped', 'good'] as const).flatMap((standing): readonly Case[] => {
    const number = sessions.filter((session) => session.standing === standing).length;
    if (number === 0) return [];
    const message = `${number} more ${noun}s not listed`;
    return [{ kind: KINDS[standing], classname: 'sonde', name: `other sessions: ${standing}`, message }];
  });
  return cases.length === 0 ? [] : [{ name: 'other sessions', cases }];
}

const MOST_UNSTARTED = 1000;

function unstartedSuite(unstarted: readonly string[]): readonly Suite[] {
  if (unstarted.length === 0) return [];
  const rest = unstarted.length - MOST_UNSTARTED;
  const names = [
    ...unstarted.slice(0, MOST_UNSTARTED).map((id) => `check ${id}`),
    ...(rest > 0 ? [`${rest} more checks`] : []),
  ];
  const message = 'the service started no session; the verdict is unknown';
  const cases = names.map((name): Case => ({ kind: 'error', classname: 'sonde', name, message }));
  return [{ name: 'not started', cases }];
}

/** The gate as a testcase of its own: where nothing else says that it is not green, or nothing else is there. */
function gateSuite({ exitCode, sentence }: Facts): Suite {
  const kind = exitCode === EXIT.done ? 'passed' : exitCode === EXIT.badVerdict ? 'failure' : 'error';
  return {
    name: 'sonde',
    cases: [
      { kind, classname: 'sonde', name: 'gate', message: sentence, details: [`exit code ${exitCode}`] },
    ],
  };
}

/** The whole file. */
export function toJunit(facts: Facts): string {
  const suites = new Map(facts.sessions.map((session) => [session, suiteOf(session)]));
  const whole = (session: SessionFacts): Suite => suites.get(session) ?? suiteOf(session);
  const all = [...suites.values(), ...unstartedSuite(facts.unstarted)];
  const isBad = all.some(({ cases }) => cases.some(({ kind }) => kind === 'failure' || kind === 'error'));
  const isTold = facts.exitCode === 0 ? all.length > 0 : isBad;
  const first = isTold ? [] : [gateSuite(facts)];
  const write = (suite: Suite) => writeXml(suiteElement(suite, facts.startedAt), '  ');
  const fitted = withinSize(facts.sessions, MOST_BYTES, {
    full: (session) => write(whole(session)),
    short: (session) => write(shortSuite(session)),
  });
  const told = facts.sessions
    .slice(0, fitted.texts.length)
    .map((session, index) => (fitted.inFull[index] ? whole(session) : shortSuite(session)));
  const last = [...leftOutSuite(fitted.leftOut, facts.noun), ...unstartedSuite(facts.unstarted)];
  const cases = [...first, ...told, ...last].flatMap((suite) => suite.cases);
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
