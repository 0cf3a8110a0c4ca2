/** What a person watches while the gate waits: which sessions, in which order, and that nothing goes beyond the window. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/base/errors.ts';
import type { SessionState } from '../../../src/gate/format/session.ts';
import { createView } from '../../../src/gate/progress/view.ts';
import type { SessionBody } from '../../../src/gate/wait/verdict.ts';
import { type LiveCanvas, plainStyles, type Styles } from '../../../src/terminal/index.ts';
import { colorStyles } from '../../../src/terminal/lazy/styles.ts';
import { layoutRows } from '../../../src/terminal/lazy/table.ts';
import { wide } from '../../../src/terminal/lazy/width.ts';
import { unicodeText } from '../../support/characters.ts';
import { runs } from '../../support/sampled.ts';

const idOf = (number: number): string => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`;

const LOCATIONS = ['eu-west-1', 'us-east-1', 'ap-south-1'];
const session = (status: string, more: object = {}): SessionBody =>
  ({ status, name: 'Apex record', runLocations: LOCATIONS, results: [], ...more }) as SessionBody;
const result = (runLocation: string, more: object = {}) => ({ resultType: 'FINAL', runLocation, ...more });

const running = (status = 'PROGRESS', more: object = {}): SessionState => ({
  session: session(status, more),
  outcome: undefined,
});
function ended(status: string, exitCode: number, more: object = {}): SessionState {
  const body = session(status, { timeElapsed: 4200, ...more });
  const verdict = status.toLowerCase().replace('_', ' ') as 'passed';
  return {
    session: body,
    outcome: { id: 'x', exitCode, outcome: { kind: 'ended', verdict, session: body } },
  };
}
const refused = (error: ApiError): SessionState => ({
  session: undefined,
  outcome: { id: 'x', exitCode: error.exitCode, outcome: { kind: 'refused', error } },
});

interface Window {
  readonly width?: number;
  readonly rows?: number;
  readonly waitedMs?: number;
  readonly styles?: Styles;
}

/** The lines as they are shown, with their marks. */
function draw(
  all: readonly SessionState[],
  { width = 79, rows = 24, waitedMs = 12_345, styles }: Window = {},
) {
  const canvas: LiveCanvas = {
    width,
    rows,
    spinnerFrame: '~',
    layoutRows,
    measure: wide,
    styles: styles ?? plainStyles,
  };
  const watched = new Map(all.map((each, index) => [idOf(index), each]));
  return createView()(watched, waitedMs, canvas).map(({ mark, text }) => `${mark} ${text}`);
}
/** Without the movements that put a cell in its place. */
const shown = (...args: Parameters<typeof draw>): readonly string[] =>
  draw(...args).map((line) => stripVTControlCharacters(line));

describe('the view of a gate', () => {
  it('has a line a session: mark, name, short id, state, locations done and time waited, aligned', () => {
    const results = [result('eu-west-1'), result('us-east-1', { resultType: 'ATTEMPT', hasFailures: true })];
    const lines = shown([running('PROGRESS', { results }), running('STARTED', { name: 'Mail' })]);
    expect(lines).toEqual([
      '~ Apex record  (00000000)  PROGRESS  1 of 3 locations  12s',
      '~ Mail         (00000001)  STARTED   0 of 3 locations  12s',
    ]);
  });

  it('shows the id of a session that nobody has named yet', () => {
    expect(shown([{ session: undefined, outcome: undefined }])).toEqual([`~ ${idOf(0)}    waiting    12s`]);
  });

  it('puts what ended badly first, then what looks bad, then the rest, and counts what is well', () => {
    const lines = shown([
      ended('PASSED', 0),
      running('PROGRESS', { name: 'a' }),
      ended('DEGRADED', 0),
      running('PROGRESS_FAILED', { name: 'b' }),
      ended('FAILED', 1, { name: 'c' }),
      running('PROGRESS_DEGRADED', { name: 'd' }),
      ended('PASSED', 0),
    ]);
    expect(lines.map((line) => line.slice(0, 3))).toEqual(['✗ c', '! b', '! d', '~ a', '~ 2']);
    expect(lines.at(-1)).toBe('~ 2 passed, 1 degraded');
  });

  it('says why a session is bad, without saying its state twice', () => {
    const failed = LOCATIONS.map((location) => result(location, { hasFailures: true }));
    const lines = shown(
      [
        ended('FAILED', 1, { results: failed }),
        ended('DEGRADED', 1, { results: [result('eu-west-1', { isDegraded: true })] }),
        ended('FAILED', 1, { results: [result('eu-west-1', { hasErrors: true })] }),
        refused(
          new ApiError('no such session', {
            status: 404,
            endpoint: 'GET /v2/check-sessions/{checkSessionId}',
          }),
        ),
        running('PROGRESS_FAILED', { results: failed.slice(0, 1) }),
        ended('TIMED_OUT', 1),
      ],
      { width: 120 },
    );
    expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual([
      '✗ Apex record (00000000) FAILED at eu-west-1, us-east-1, ap-south-1 4.2s',
      '✗ Apex record (00000001) DEGRADED at eu-west-1 4.2s',
      '✗ Apex record (00000002) FAILED error at eu-west-1 4.2s',
      `✗ ${idOf(3)} NOT_FOUND no such session`,
      '✗ Apex record (00000005) TIMED_OUT 4.2s',
      '! Apex record (00000004) PROGRESS_FAILED at eu-west-1, 1 of 3 locations 12s',
    ]);
  });

  it('leaves out the less important where the window is narrow, and keeps the mark and the name to the last', () => {
    const all = [running(), ended('FAILED', 1, { name: 'Mail' })];
    expect(shown(all, { width: 40 })).toEqual([
      '✗ Mail         FAILED    4.2s',
      '~ Apex record  PROGRESS   12s',
    ]);
    expect(shown(all, { width: 19 })).toEqual(['✗ Mail', '~ Apex record']);
  });

  it('leaves out ids before it cuts names that a person tells sessions apart by', () => {
    const name = 'Checkout zone delegation';
    const [line = ''] = shown(
      [running('PROGRESS_FAILED', { name, results: [result('eu-west-1', { hasFailures: true })] })],
      { width: 70 },
    );
    expect(line).toContain(`! ${name}  PROGRESS_FAILED  at eu-west-1`);
  });

  it('has no more lines than the window has room for, and never more than twenty', () => {
    const all = Array.from({ length: 1000 }, (_, index) => (index < 12 ? ended('PASSED', 0) : running()));
    expect(shown(all, { rows: 100 })).toHaveLength(20);
    expect(shown(all, { rows: 24 }).at(-1)).toBe('~ 12 passed, 969 more waiting');
    expect(shown(all, { rows: 10 })).toHaveLength(6);
    expect(shown(all, { rows: 3 })).toEqual(['~ 12 passed, 988 waiting']);
  });

  it('shows that something goes on, however many are bad', () => {
    const bad = Array.from({ length: 300 }, () => ended('FAILED', 1));
    const lines = shown([...bad, ...Array.from({ length: 30 }, () => running())]);
    expect(lines).toHaveLength(20);
    expect(lines.filter((line) => line.startsWith('~ Apex'))).toHaveLength(4);
    expect(lines.at(-1)).toBe('~ 285 more failed, 26 more waiting');
  });

  it('counts nobody where there is a line for each', () => {
    const all = Array.from({ length: 20 }, () => running());
    expect(shown(all)).toHaveLength(20);
    expect(shown(all).at(-1)).toContain('Apex');
  });

  it('moves once a second', () => {
    const at = (waitedMs: number) => shown([running()], { waitedMs })[0]?.split('  ').at(-1);
    expect([0, 999, 1000, 61_999, 3_600_000].map(at)).toEqual(['0s', '0s', '1s', '1m 1s', '1h']);
  });

  it('is coloured by meaning, and says the same without colour', () => {
    const all = [running(), running('PROGRESS_FAILED'), ended('FAILED', 1), ended('PASSED', 0)];
    const coloured = draw(all, { styles: colorStyles(16) });
    expect(coloured.map((line) => stripVTControlCharacters(line))).toEqual(draw(all));
    expect(coloured[0]).toContain('\x1b[31m✗\x1b[39m');
    expect(coloured[1]).toContain('\x1b[33m!\x1b[39m');
    expect(coloured[2]).toContain('\x1b[36m~\x1b[39m');
  });

  it('puts what follows a name in its place where terminals differ on how wide the name is', () => {
    const [hindi, ascii] = draw([running('PROGRESS', { name: 'हिन्दी नाम' }), running()]);
    expect(ascii).not.toContain('\x1b');
    const place = (ascii ?? '').indexOf('PROGRESS') + 1;
    expect(hindi).toContain(`\x1b[${place}GPROGRESS`);
  });
});

/** The one movement there is. */
const TO_COLUMN = new RegExp(`${'\x1b'}\\[\\d+G`, 'g');

describe('whatever a service tells', () => {
  const NAMES = [
    'Apex',
    '日本語のチェック、とても長い名前でどこかで切らなければならない',
    '👩‍👩‍👧 family 🫠 café',
    'हिन्दी नाम',
    `Z${'\u0301'.repeat(500)}`,
    '\x1b[2J\x1b]0;owned\x07\r\nError: all is lost',
    '\u202egnp.exe',
    'x'.repeat(1_000_000),
    '\u{1f468}'.repeat(5000),
    '',
    7,
    null,
  ];
  const hostile = fc.record({
    status: fc.oneof(fc.constantFrom('STARTED', 'PROGRESS_FAILED', 'FAILED'), unicodeText()),
    name: fc.oneof(fc.constantFrom(...NAMES), unicodeText({ maxLength: 300 })),
    runLocations: fc.constantFrom(undefined, null, 'eu', [7, null], LOCATIONS, NAMES),
    results: fc.constantFrom(undefined, null, {}, [null, 7], [{ runLocation: NAMES[5], hasFailures: true }]),
    timeElapsed: fc.constantFrom(undefined, null, -1, Number.NaN, 1e300, '4s'),
  });
  const watched = fc
    .record({ body: hostile, exitCode: fc.constantFrom(undefined, 0, 1, 8) })
    .map(({ body, exitCode }): SessionState => {
      const told = body as unknown as SessionBody;
      if (exitCode === undefined) return { session: told, outcome: undefined };
      const outcome = { kind: 'ended', verdict: 'failed', session: told } as const;
      return { session: told, outcome: { id: 'x', exitCode, outcome } };
    });

  it('no line is wider than the window or drives the terminal, and none is too many', () => {
    const property = fc.property(
      fc.array(watched, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 20, max: 200 }),
      fc.integer({ min: 1, max: 60 }),
      (all, width, rows) => {
        const lines = draw(all, { width, rows });
        expect(lines.length).toBeLessThanOrEqual(Math.max(1, Math.min(20, rows - 4)));
        for (const line of lines) {
          const text = line.replaceAll(TO_COLUMN, '');
          expect(stringWidth(text)).toBeLessThanOrEqual(width);
          expect(text).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u);
        }
      },
    );
    fc.assert(property, { numRuns: runs(60, 1000) });
  });
});
