/** Everything that a service, or what stands before it, may send instead of a verdict; each says itself what it tells. */
import fc from 'fast-check';
import { PROOF } from '../../../support/proof.ts';

/** What an answer tells about the session, by construction. A word in capitals is its end. */
export type Tells =
  | 'PASSED'
  | 'DEGRADED'
  | 'FAILED'
  | 'TIMED_OUT'
  | 'CANCELLED'
  | 'running'
  | 'pending'
  | 'fault'
  | 'refused';

/** One answer, as it goes over the wire. */
export interface Step {
  readonly name: string;
  readonly tells: Tells;
  /** A status with a body; `cut`: the connection breaks within it. Without: it breaks before, or nothing ever comes. */
  readonly answer?: (about: About) => Sent;
  readonly hangs?: boolean;
  /** How long the service takes, in ms. A poll that would last longer than its wait is answered at its end. */
  readonly takes: number;
  /** What the service asks for by Retry-After, in ms. */
  readonly retryAfterMs?: number;
  /** By how much the machine's clock is set meanwhile, in ms. */
  readonly clockStep: number;
}

export interface Sent {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text: string;
  readonly cut?: boolean;
}

/** Who asks, and when. */
export interface About {
  readonly id: string;
  readonly idField: string;
  /** The wall clock, in ms. */
  readonly now: number;
}

type What = Omit<Step, 'takes' | 'clockStep'>;

const OTHER = 'ffffffff-ffff-4fff-8fff-ffffffffffff';
const PAGE = '<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>';

const session =
  (status: unknown, more: object = {}) =>
  ({ id, idField }: About): string =>
    JSON.stringify({ [idField]: id, status, ...PROOF, ...more });

const says = (status: string, tells: Tells): What => ({
  name: status,
  tells,
  answer: (about) => ({ status: 200, text: session(status)(about) }),
});

const fault = (name: string, answer: (about: About) => Sent): What => ({ name, tells: 'fault', answer });

const limited = (status: number, tells: Tells, form: string, ms: number | undefined): What => ({
  name: `${status} Retry-After ${form}`,
  tells,
  ...(ms === undefined ? {} : { retryAfterMs: ms }),
  answer: ({ now }) => {
    const date = (at: number) => new Date(at).toUTCString();
    const value = {
      seconds: String((ms ?? 0) / 1000),
      date: date(now + (ms ?? 0)),
      'date by another clock': date(now + 3_600_000 + (ms ?? 0)),
      nonsense: 'soon, or Thu',
      negative: '-5',
      none: '',
    }[form];
    return {
      status,
      headers: {
        ...(value ? { 'retry-after': value } : {}),
        // Whole seconds, as dates are: what is asked for counts from there.
        date: date(form === 'date by another clock' ? now + 3_600_000 : now),
      },
      text: '{"message":"later"}',
    };
  },
});

const refusal = (status: number): What => ({
  name: String(status),
  tells: 'refused',
  answer: () => ({ status, text: '{"message":"no","attributes":{}}' }),
});

const ENDS: readonly What[] = [
  says('PASSED', 'PASSED'),
  says('DEGRADED', 'DEGRADED'),
  says('FAILED', 'FAILED'),
  says('TIMED_OUT', 'TIMED_OUT'),
  says('CANCELLED', 'CANCELLED'),
];
const RUNS: readonly What[] = [
  says('PROGRESS', 'running'),
  says('PROGRESS_FAILED', 'running'),
  says('SOMETHING_NEW', 'running'),
  says('passed', 'running'),
  says('__proto__', 'running'),
  { name: '408', tells: 'pending', answer: () => ({ status: 408, text: '{"message":"still running"}' }) },
  { name: '408 by a proxy', tells: 'pending', answer: () => ({ status: 408, text: PAGE }) },
  limited(408, 'pending', 'seconds', 4000),
];
const FAULTS: readonly What[] = [
  { name: 'reset', tells: 'fault' },
  { name: 'hang', tells: 'fault', hangs: true },
  fault('reset within a good answer', (about) => ({
    status: 200,
    text: session('PASSED')(about),
    cut: true,
  })),
  fault('truncated JSON', (about) => ({ status: 200, text: session('PASSED')(about).slice(0, -1) })),
  fault('two JSON texts', (about) => ({ status: 200, text: session('PASSED')(about).repeat(2) })),
  fault('HTML', () => ({ status: 200, headers: { 'content-type': 'text/html' }, text: PAGE })),
  fault('empty', () => ({ status: 200, text: '' })),
  fault('null', () => ({ status: 200, text: 'null' })),
  fault('a list', (about) => ({ status: 200, text: `[${session('PASSED')(about)}]` })),
  fault('no status', (about) => ({ status: 200, text: session(undefined)(about) })),
  fault('a status that is no text', (about) => ({ status: 200, text: session(['PASSED'])(about) })),
  fault('another session', (about) => ({ status: 200, text: session('PASSED')({ ...about, id: OTHER }) })),
  fault('two statuses', (about) => ({
    status: 200,
    text: session('PASSED')(about).replace('{', '{"status":"FAILED",'),
  })),
  ...[201, 202, 204, 206].map((status) =>
    fault(`${status} with a verdict`, (about) => ({ status, text: session('PASSED')(about) })),
  ),
  fault('304', () => ({ status: 304, text: '' })),
  fault('redirect elsewhere', () => ({
    status: 302,
    headers: { location: 'https://elsewhere.example/' },
    text: '',
  })),
  ...[500, 502, 503, 504, 599].map((status) => fault(String(status), () => ({ status, text: PAGE }))),
  limited(429, 'fault', 'none', undefined),
  limited(429, 'fault', 'seconds', 7000),
  limited(429, 'fault', 'date', 9000),
  limited(429, 'fault', 'date by another clock', 6000),
  limited(429, 'fault', 'nonsense', undefined),
  limited(429, 'fault', 'negative', undefined),
  limited(503, 'fault', 'seconds', 11_000),
];
const REFUSALS: readonly What[] = [400, 401, 403, 404, 404, 404, 405, 410, 422, 451].map(refusal);

const timed = (what: fc.Arbitrary<What>): fc.Arbitrary<Step> =>
  fc
    .tuple(
      what,
      fc.constantFrom(0, 0, 5, 900, 1500, 29_000, 31_000, 900_000),
      fc.constantFrom(0, 0, 0, 0, 3_600_000, -3_600_000, 40_000_000_000),
    )
    .map(([step, takes, clockStep]) => ({ ...step, takes, clockStep }));

/** Any answer, in any time: faults most of all. */
export const anyStep = timed(
  fc.oneof(
    { arbitrary: fc.constantFrom(...FAULTS), weight: 10 },
    { arbitrary: fc.constantFrom(...RUNS), weight: 6 },
    { arbitrary: fc.constantFrom(...ENDS), weight: 2 },
    { arbitrary: fc.constantFrom(...REFUSALS), weight: 1 },
  ),
);
/** What passes by itself, and soon. */
export const passingStep = timed(fc.constantFrom(...FAULTS, ...RUNS)).map((step) => ({
  ...step,
  takes: Math.min(step.takes, 5),
}));
/** A session that still runs. */
export const runningStep: fc.Arbitrary<Step> = timed(fc.constantFrom(...RUNS));
/** A good verdict at once. */
export const goodStep: Step = { ...says('PASSED', 'PASSED'), takes: 5, clockStep: 0 };

/** Whether the answer is a whole session, so that it may stand in a list. */
export const isEntry = ({ tells, answer }: Step): boolean =>
  answer !== undefined && (tells === 'running' || tells === tells.toUpperCase());

/** One answer to a request for a page of the list. */
export interface ListStep {
  readonly name: string;
  /** Entries on the page. */
  readonly size: number;
  readonly takes: number;
  readonly hangs?: boolean;
  readonly retryAfterMs?: number;
  /** Whether what its entries say counts. */
  readonly isTrue: boolean;
  readonly answer: (page: Page) => Sent;
}
interface Page {
  readonly length: number;
  readonly entries: readonly object[];
  readonly nextId: string | null;
}

const json = (body: unknown, more: Partial<Sent> = {}): Sent => ({
  status: 200,
  text: JSON.stringify(body),
  ...more,
});
const refused = (
  status: number,
  headers: Record<string, string> = {},
): Pick<ListStep, 'name' | 'answer'> => ({
  name: String(status),
  answer: () => ({ status, text: '{"message":"no","attributes":{}}', headers }),
});
const TRUE_LISTS: readonly (readonly [string, ListStep['answer']])[] = [
  ['whole', json],
  ['without an end', (page) => json({ ...page, nextId: null })],
  ['a bare list', ({ entries }) => json(entries)],
  [
    'others among them',
    (page) => json({ ...page, entries: [null, 7, { status: 'PASSED' }, ...page.entries] }),
  ],
];
const FALSE_LISTS: readonly Pick<ListStep, 'name' | 'answer' | 'hangs' | 'retryAfterMs'>[] = [
  ...[400, 401, 403, 404, 405, 500, 501, 502, 503].map((status) => refused(status)),
  { ...refused(429, { 'retry-after': '7' }), retryAfterMs: 7000 },
  { ...refused(503, { 'retry-after': '3' }), retryAfterMs: 3000 },
  { name: 'hang', hangs: true, answer: json },
  { name: 'cut', answer: (page) => json(page, { cut: true }) },
  { name: 'HTML', answer: () => ({ status: 200, text: PAGE }) },
  { name: '206', answer: (page) => json(page, { status: 206 }) },
  { name: 'an object', answer: () => json({}) },
  { name: 'empty', answer: () => json({ length: 0, entries: [], nextId: null }) },
  { name: 'a page without end', answer: () => json({ length: 0, entries: [], nextId: '0' }) },
  {
    name: 'a name twice',
    answer: (page) => json(page, { text: `{"nextId":null,${JSON.stringify(page).slice(1)}` }),
  },
  {
    name: 'each twice, with another end',
    answer: ({ entries, ...page }) =>
      json({ ...page, entries: entries.flatMap((each) => [each, { ...each, status: 'PASSED', ...PROOF }]) }),
  },
  {
    name: 'all passed, without proof',
    answer: ({ entries, ...page }) =>
      json({ ...page, entries: entries.map((each) => ({ ...each, status: 'PASSED', results: [] })) }),
  },
  {
    name: 'all passed, others',
    answer: ({ entries, ...page }) =>
      json({
        ...page,
        entries: entries.map((each) => ({ ...each, status: 'PASSED', checkSessionId: OTHER })),
      }),
  },
];
/** No deployment has to offer the list. */
export const NO_LIST: ListStep = { ...refused(404), size: 100, takes: 5, isTrue: false };

/** Any answer to a request for the list, in any time. */
export const anyList: fc.Arbitrary<ListStep> = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(...TRUE_LISTS.map(([name, answer]) => ({ name, answer, isTrue: true }))),
      fc.constantFrom(...FALSE_LISTS.map((step) => ({ ...step, isTrue: false }))),
    ),
    fc.constantFrom(100, 100, 20, 7),
    fc.constantFrom(0, 5, 900, 9_000),
  )
  .map(([step, size, takes]) => ({ ...step, size, takes }));
/** A list of all sessions, soon. */
export const goodList: ListStep = { name: 'whole', size: 100, takes: 5, isTrue: true, answer: json };
/** The answers about a session that has one end, after which nothing else is said. */
export const untilEnd = (steps: readonly Step[]): readonly Step[] => {
  const end = steps.findIndex(({ tells }) => tells === tells.toUpperCase());
  return end === -1 ? steps : steps.slice(0, end + 1);
};
