/** Lines that move: when they are drawn, what is written for it, and that nothing of them stays. */
import { describe, expect, it } from 'vitest';
import type { LiveCanvas } from '../../src/terminal/index.ts';
import { createManualClock } from '../support/clock.ts';
import { createTestTerminal, type TestTerminalOptions } from '../support/terminal.ts';

const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';
const ERASE = '\r \x1b[J\r';

/** A terminal that draws, two lines that say what they are drawn on, and what was written since one last looked. */
async function drawing(options: TestTerminalOptions = {}) {
  const clock = createManualClock();
  const test = createTestTerminal({ isTTY: true, env: { NO_COLOR: '1' }, clock, ...options });
  const seen = { text: 'first', canvas: undefined as LiveCanvas | undefined };
  const live = test.terminal.live((canvas) => {
    seen.canvas = canvas;
    return [
      { mark: canvas.spinnerFrame, text: seen.text },
      { mark: '✗', text: `${canvas.width} by ${canvas.rows}` },
    ];
  });
  let read = 0;
  const news = () => {
    const all = test.stderr();
    const fresh = all.slice(read);
    read = all.length;
    return fresh;
  };
  const begun = test.saw('first');
  await clock.advance(150);
  await begun;
  return { ...test, clock, live, seen, news };
}

describe('live lines', () => {
  it('are drawn with the cursor hidden and at rest on the first of them, and leave nothing', async () => {
    const { live, news } = await drawing();
    expect(news()).toBe(`${HIDE}\r\x1b[?7l\x1b[K⠋ first\r\n\x1b[K✗ 79 by 24\x1b[J\x1b[?7h\r\x1b[1A`);
    await live.stop();
    await live.stop();
    expect(news()).toBe(`${ERASE}${SHOW}`);
  });

  it('turn ten times a second, for which only the marks that turn are written', async () => {
    const { clock, live, news } = await drawing();
    news();
    await clock.advance(50);
    expect(news()).toBe('');
    await clock.advance(50);
    expect(news()).toBe('\r⠙\r\n\r\x1b[1A');
    await live.stop();
  });

  it('are written whole where one says something else', async () => {
    const { clock, live, news, seen } = await drawing();
    news();
    seen.text = 'second';
    await clock.advance(100);
    expect(news()).toContain('second\r\n\x1b[K✗ 79 by 24\x1b[J');
    await live.stop();
  });

  it('are drawn anew at once when the window is resized, to its new width', async () => {
    const { live, news, resize } = await drawing();
    news();
    resize(40, 10);
    expect(news()).toContain('✗ 39 by 10');
    await live.stop();
    resize(30);
    expect(news()).toBe(`${ERASE}${SHOW}`);
  });

  it('make room above them for what is said, and for the result', async () => {
    const { live, news, terminal } = await drawing();
    news();
    await terminal.note('a note');
    expect(news()).toSatisfy(
      (said: string) => said.startsWith(`${ERASE}a note\n\r`) && said.includes('first'),
    );
    await terminal.err('without an end of line');
    expect(news()).toContain('without an end of line\n\r');
    await terminal.out('the result\n');
    expect(news()).toSatisfy((said: string) => said.startsWith(`${ERASE}\r`) && said.includes('first'));
    await live.stop();
  });

  it('never have more lines than the window', async () => {
    const { live, news } = await drawing({ rows: 2 });
    expect(news()).not.toContain('✗');
    await live.stop();
  });

  it('give way to those that come after them', async () => {
    const { clock, live, news, terminal } = await drawing();
    news();
    const other = terminal.live(({ spinnerFrame: turning }) => [{ mark: turning, text: 'other' }]);
    await clock.advance(300);
    await live.stop();
    await clock.advance(100);
    expect(news()).toContain(`${ERASE}${SHOW}${HIDE}`);
    await terminal.note('noted');
    expect(news()).toMatch(/noted\n\r.*other/s);
    await other.stop();
    expect(news()).toBe(`${ERASE}${SHOW}`);
  });

  it('are gone while the process is suspended and when it ends, and come back', async () => {
    const listeners: (() => void)[] = [];
    const { clock, live, news } = await drawing({
      onLeave: (leave, back) => void listeners.push(leave, back),
    });
    const [leave, back] = listeners;
    news();
    leave?.();
    await clock.advance(300);
    expect(news()).toBe(`${ERASE}${SHOW}`);
    back?.();
    expect(news()).toSatisfy((said: string) => said.startsWith(`${HIDE}\r`) && said.includes('first'));
    await live.stop();
    news();
    leave?.();
    back?.();
    expect(news()).toBe('');
  });

  it('are gone with the terminal', async () => {
    const { news, terminal } = await drawing();
    news();
    await terminal.close();
    expect(news()).toBe(`${ERASE}${SHOW}`);
  });

  it('turn with the letters that the console of Linux has', async () => {
    const { live, news } = await drawing({ env: { TERM: 'linux', NO_COLOR: '1' } });
    expect(news()).toContain('| first');
    await live.stop();
  });

  it.each([
    ['a pipe', { isTTY: false }],
    ['a terminal for stdout alone', { isTTY: { stdout: true } }],
    ['a terminal of a CI', { isTTY: true, env: { CI: '1' } }],
    ['--quiet', { isTTY: true, flags: { quiet: true } }],
  ])('are never drawn with %s', async (_what, options) => {
    const clock = createManualClock();
    const test = createTestTerminal({ ...options, clock });
    expect(test.terminal.canDraw).toBe(false);
    const live = test.terminal.live(() => [{ mark: '-', text: 'text' }]);
    const spinner = test.terminal.spinner('waiting');
    spinner.update('more');
    await clock.advance(1000);
    await Promise.all([live.stop(), spinner.stop()]);
    expect([test.stdout(), test.stderr(), clock.sleeping]).toEqual(['', '', 0]);
  });

  it('are never drawn for work that is over in a moment', async () => {
    const clock = createManualClock();
    const test = createTestTerminal({ isTTY: true, env: { CI: 'false' }, clock });
    const live = test.terminal.live(() => [{ mark: '-', text: 'text' }]);
    await clock.advance(149);
    await live.stop();
    await test.terminal.note('a note');
    expect(test.stderr()).toBe('a note\n');
  });
});

describe('a spinner', () => {
  it('is one line, sanitised and cut, follows its text, makes room for notes and leaves nothing', async () => {
    const clock = createManualClock();
    const test = createTestTerminal({ isTTY: true, columns: 20, env: { NO_COLOR: '1' }, clock });
    const spinner = test.terminal.spinner('waiting\x1b[2J\nfor a long time');
    const begun = test.saw('⠋ waiting for a lo…');
    await clock.advance(150);
    await begun;
    spinner.update('still waiting');
    await test.terminal.note('a note');
    // The terminal shows each drawing of ora at once.
    expect(test.stderr()).toContain('a note\n\x1b[?2026h\r');
    expect(test.stderr()).toContain('still waiting');
    expect(test.stderr()).not.toContain('\x1b[2J');
    await spinner.stop();
    expect(test.stderr()).toSatisfy((said: string) => said.endsWith(SHOW));
    expect(test.stdout()).toBe('');
  });

  it('turns in a window of one column', async () => {
    const clock = createManualClock();
    const test = createTestTerminal({ isTTY: true, columns: 1, env: { NO_COLOR: '1' }, clock });
    const spinner = test.terminal.spinner('waiting');
    const begun = test.saw('⠋');
    await clock.advance(150);
    await begun;
    const turned = test.saw('⠙');
    await clock.advance(100);
    await turned;
    await spinner.stop();
    expect(test.stderr()).toSatisfy((said: string) => said.endsWith(SHOW));
  });
});

describe('in a plain terminal', () => {
  it.each<[string, TestTerminalOptions]>([
    ['--plain', { flags: { plain: true } }],
    ['SONDE_ACCESSIBLE', { env: { SONDE_ACCESSIBLE: 'yes' } }],
    ['a terminal that cannot move its cursor', { env: { TERM: 'dumb' } }],
  ])(
    '(%s) nothing is drawn, and a spinner says its text once it lasts, in lines that stay',
    async (_what, options) => {
      const clock = createManualClock();
      const test = createTestTerminal({ isTTY: true, clock, ...options });
      expect([test.terminal.plain, test.terminal.canDraw]).toEqual([true, false]);
      const live = test.terminal.live(() => [{ mark: '-', text: 'text' }]);
      const spinner = test.terminal.spinner('waiting\x1b[2J');
      await clock.advance(149);
      expect(test.stderr()).toBe('');
      await clock.advance(1000);
      spinner.update('waiting\x1b[2J');
      spinner.update('waiting for more');
      await Promise.all([live.stop(), spinner.stop()]);
      await test.terminal.flush();
      expect(test.stderr()).toBe('waiting…\nwaiting for more…\n');
      expect(clock.sleeping).toBe(0);
    },
  );

  it('nothing is said of what is over in a moment', async () => {
    const clock = createManualClock();
    const test = createTestTerminal({ isTTY: true, flags: { plain: true }, clock });
    const spinner = test.terminal.spinner('waiting');
    await clock.advance(149);
    await spinner.stop();
    await clock.advance(1000);
    expect([test.stderr(), clock.sleeping]).toEqual(['', 0]);
  });

  it.each([
    ['0', false],
    ['false', false],
    ['', false],
    ['1', true],
  ])('SONDE_ACCESSIBLE=%s: %s', (value, isPlain) => {
    const { terminal } = createTestTerminal({ isTTY: true, env: { SONDE_ACCESSIBLE: value } });
    expect(terminal.plain).toBe(isPlain);
  });

  it('has its colours', () => {
    const { terminal } = createTestTerminal({ isTTY: true, flags: { plain: true } });
    expect(terminal.color.stderr).toBe(true);
  });
});
