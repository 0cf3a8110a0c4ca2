/** Cards, as a person sees them. */
import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import {
  type Branch,
  type Card,
  commands,
  facts,
  links,
  table,
  text,
  tree,
} from '../../src/terminal/card/card.ts';
import { type Env, render, type TerminalFlags } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';
import { anyText } from '../support/texts.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const clock: Clock = { now: () => NOW, monotonic: () => 0, sleep: async () => {}, timer: () => () => {} };
const NO_COLOR: Env = { NO_COLOR: '1' };
const ESCAPE = '\x1b';
const ID = 'b8f1c1de-0000-4000-8000-000000000001';
const URL = `https://app.example.com/check-sessions/${ID}`;

interface Options {
  readonly columns?: number;
  readonly env?: Env;
  readonly isTTY?: boolean;
  readonly flags?: TerminalFlags;
  readonly fields?: readonly string[];
}

async function shown(
  card: Card,
  { columns = 80, env = NO_COLOR, isTTY = true, flags = {}, fields }: Options = {},
) {
  const test = createTestTerminal({ isTTY, columns, env, flags, clock });
  const output = { utc: true, ...(fields ? { fields } : {}) };
  await render(test.terminal, { kind: 'item', data: { id: ID, name: 'Home' }, output, card: () => card });
  return test.stdout();
}

const session: Card = {
  title: { text: 'Login page', state: 'FAILED', aside: 'DNS check' },
  sections: [
    facts([
      { label: 'Started', value: '2026-11-21T11:57:00Z', kind: 'time' },
      { label: 'Took', value: 62_510, kind: 'duration' },
      { label: 'Stopped', value: null, kind: 'time' },
      { label: 'Not told', value: undefined },
    ]),
    table({
      columns: [
        { key: 'location', priority: 90 },
        { key: 'result', kind: 'status' },
        { key: 'took', kind: 'duration' },
        { key: 'error', lines: 3, minWidth: 20 },
        { key: 'link', kind: 'id', priority: 10 },
      ],
      rows: [
        {
          location: 'eu-west-1',
          result: 'FAILED',
          took: 12,
          error: 'expected NOERROR of the name server, but it answered NXDOMAIN, three times',
          link: URL,
        },
        { location: 'us-east-1', result: 'PASSED', took: 1234, link: URL },
      ],
    }),
    commands([{ does: 'Why it fails', line: `sonde error-groups list ${ID}` }]),
    links([
      { label: 'Session', url: URL },
      { label: 'Result', url: `${URL}?result`, unlessColumn: 'link' },
      { label: 'None', url: undefined },
    ]),
  ],
};

describe('a card', () => {
  it('says first how it stands, then its sections with a line between them', async () => {
    expect(await shown(session)).toBe(
      [
        '✗ FAILED  Login page  DNS check',
        '',
        'Started  2026-11-21 11:57:00 UTC (3m ago)',
        'Took     1m 3s',
        'Stopped  —',
        '',
        'LOCATION   RESULT  TOOK  ERROR',
        'eu-west-1  FAILED  12ms  expected NOERROR of the name server, but it answered',
        '                         NXDOMAIN, three times',
        'us-east-1  PASSED  1.2s  —',
        '',
        `Why it fails  sonde error-groups list ${ID}`,
        '',
        'Session',
        `  ${URL}`,
        'Result',
        `  ${URL}?result`,
        '',
      ].join('\n'),
    );
  });

  it('leaves out below a table what its columns show, where they find room', async () => {
    const text = await shown(session, { columns: 200 });
    expect(text).toMatch(/^LOCATION +RESULT +TOOK +ERROR +LINK$/m);
    expect(text).not.toContain('?result');
    expect(text).toContain(`Session  ${URL}\n`);
  });

  it('colours by meaning, in the sixteen colours of the palette', async () => {
    const text = await shown(session, { env: {} });
    expect(text.split('\n')[0]).toBe(
      '\x1b[1m\x1b[31m✗ FAILED\x1b[39m\x1b[22m  \x1b[1mLogin page\x1b[22m  \x1b[2mDNS check\x1b[22m',
    );
    expect(text).toContain('\x1b[32mPASSED\x1b[39m');
  });

  it('draws no marks and no lines where it is read out', async () => {
    const card: Card = {
      title: { text: 'Shop', state: 'PASSED' },
      sections: [tree({ branches: [{ text: 'Website', branches: [{ text: 'Checkout' }] }] })],
    };
    expect(await shown(card, { flags: { plain: true } })).toBe(
      ['PASSED  Shop', '', '  Website', '    Checkout', ''].join('\n'),
    );
  });

  it('is not what --fields chooses from, nor what a pipe gets', async () => {
    expect(await shown(session, { fields: ['name'] })).toBe('Name  Home\n');
    expect(await shown(session, { isTTY: false })).toBe(`id\t${ID}\nname\tHome\n`);
  });

  it('shows parts of parts as a tree, long names broken beside it', async () => {
    const branches: Branch[] = [
      {
        text: 'Website of the shop, with a name that is far too long for a single line of this window',
        aside: '2 services',
        branches: [{ text: 'Home' }, { text: 'Checkout', aside: ID }],
      },
      { text: 'API' },
    ];
    const card: Card = { title: { text: 'Shop' }, sections: [tree({ heading: 'Cards', branches })] };
    expect(await shown(card, { columns: 60 })).toBe(
      [
        'Shop',
        '',
        'Cards',
        '├─ Website of the shop, with a name that is far too long',
        '│  │  for a single line of this window  2 services',
        '│  ├─ Home',
        `│  └─ Checkout  ${ID}`,
        '└─ API',
        '',
      ].join('\n'),
    );
  });

  const colours: Card = {
    title: { text: 'Shop' },
    sections: [facts([{ label: 'Link', value: '#0b7285', kind: 'color' }])],
  };
  it.each([
    ['all', { COLORTERM: 'truecolor' }, '\x1b[38;2;11;114;133m██\x1b[39m #0b7285'],
    ['256', { TERM: 'xterm-256color' }, '\x1b[38;5;31m██\x1b[39m #0b7285'],
    ['16', { TERM: 'xterm' }, '\x1b[22m  #0b7285'],
    ['no', { COLORTERM: 'truecolor', NO_COLOR: '1' }, 'Link  #0b7285'],
  ])('shows a colour beside its code where the terminal has %s colours', async (_, env, expected) => {
    expect(await shown(colours, { env })).toContain(expected);
  });

  it('tells a colour by its code alone where it is read out', async () => {
    const env = { COLORTERM: 'truecolor' };
    expect(await shown(colours, { env, flags: { plain: true } })).toContain('\x1b[22m  #0b7285');
  });
});

/** A card of nothing but hostile and wide texts. */
const anyCard = (): fc.Arbitrary<Card> =>
  fc.array(anyText(), { minLength: 8, maxLength: 8 }).map(([a = '', b, c, d, e, f, g = '', h = '']) => ({
    title: { text: a, state: b, aside: c },
    sections: [
      facts([{ label: 'Name', value: d }], 'Facts'),
      table({
        heading: 'Table',
        columns: [{ key: 'e', lines: 4 }, { key: 'status', kind: 'status' }, { key: 'f' }],
        rows: [
          { e, f, status: 'FAILED' },
          { e: f, f: e, status: 'PASSED' },
        ],
      }),
      tree({ branches: [{ text: g, aside: h, branches: [{ text: h, branches: [{ text: g }] }] }] }),
      text(h),
    ],
  }));

const PLACED = new RegExp(`${ESCAPE}\\[(?:\\d+G|\\?7[hl])`, 'g');
/** Lines, without what only puts the cursor. */
const drawn = (text: string): string[] => text.replaceAll(PLACED, '').trimEnd().split('\n');
/** A word of ASCII stays whole where it is no cell: it may be there to be copied. */
const hasLongWord = (line: string, columns: number): boolean =>
  line.split(' ').some((word) => /^[!-~]+$/.test(word) && word.length > columns / 3);

describe('whatever it holds', () => {
  it('keeps within the window and lets nothing through that drives a terminal', async () => {
    await fc.assert(
      fc.asyncProperty(anyCard(), fc.integer({ min: 60, max: 200 }), async (card, columns) => {
        for (const line of drawn(await shown(card, { columns }))) {
          if (!hasLongWord(line, columns)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
          expect(line).not.toMatch(/ $/);
        }
      }),
      { numRuns: 100 },
    );
  });
});
