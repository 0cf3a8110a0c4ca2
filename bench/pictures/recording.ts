/** Records a program in a real terminal as an animated SVG: a picture for each change of its screen, shown for as long as it stood. */
import { spawn } from '@lydell/node-pty';
import headless, { type IBufferCell, type IBufferLine } from '@xterm/headless';

const [CELL_WIDTH, CELL_HEIGHT, MARGIN] = [8.4, 18, 16];
const COLOURS = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'];
const [FOREGROUND, BACKGROUND, FRAME] = ['#e6edf3', '#0d1117', '#30363d'];
/** The longest that a picture is shown, but for the last, and the shortest, in ms. */
const [LONGEST_MS, SHORTEST_MS, LAST_MS] = [1500, 60, 6000];

export interface RecordingOptions {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface Picture {
  readonly at: number;
  readonly lines: readonly string[];
}

/** Runs the program until it ends, and returns the SVG. @throws where it does not end with 0. */
export async function recording(
  program: string,
  args: readonly string[],
  { columns, rows, ...options }: RecordingOptions,
): Promise<string> {
  const emulator = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  const child = spawn(program, [...args], { name: 'xterm-256color', cols: columns, rows, ...options });
  const pictures: Picture[] = [];
  const look = () => {
    const { active } = emulator.buffer;
    const lines = Array.from({ length: rows }, (_, row) => lineOf(active.getLine(active.baseY + row)));
    const [at, last] = [performance.now(), pictures.at(-1)];
    if (last?.lines.join('\n') === lines.join('\n')) return;
    if (last !== undefined && at - last.at < SHORTEST_MS) pictures.pop();
    pictures.push({ at, lines });
  };
  emulator.onData((answer) => child.write(answer));
  child.onData((data) => emulator.write(data, look));
  const code = await new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
  await new Promise<void>((resolve) => emulator.write('', resolve));
  look();
  emulator.dispose();
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return animated(pictures, columns, rows);
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** The attributes of a cell's text; an empty text for the usual ones. */
function styleOf(cell: IBufferCell): string {
  const colour = cell.isFgPalette() ? COLOURS[cell.getFgColor() % 8] : undefined;
  return [
    ...(colour === undefined ? [] : [`fill="${colour}"`]),
    ...(cell.isBold() ? ['font-weight="bold"'] : []),
    ...(cell.isDim() ? ['opacity="0.6"'] : []),
    ...(cell.isUnderline() ? ['text-decoration="underline"'] : []),
  ].join(' ');
}

/** One row as SVG text, a `tspan` for each change of style. */
function lineOf(line: IBufferLine | undefined): string {
  const runs: { readonly style: string; readonly column: number; text: string }[] = [];
  for (let column = 0; column < (line?.length ?? 0); column += 1) {
    const cell = line?.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const style = styleOf(cell);
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last?.style === style) last.text += text;
    else runs.push({ style, column, text });
  }
  return runs
    .map(({ style, column, text }) => ({ style, column, text: text.trimEnd() }))
    .filter(({ text }) => text !== '')
    .map(({ style, column, text }) => {
      const x = `x="${(MARGIN + column * CELL_WIDTH).toFixed(1)}"`;
      return `<tspan ${style === '' ? x : `${x} ${style}`}>${escaped(text)}</tspan>`;
    })
    .join('');
}

/** All pictures above each other, each visible in its share of the whole time. Without animation the last one is seen. */
function animated(pictures: readonly Picture[], columns: number, rows: number): string {
  const shown = pictures.map(({ at }, place) => {
    const next = pictures[place + 1];
    return next === undefined ? LAST_MS : Math.min(LONGEST_MS, next.at - at);
  });
  const whole = shown.reduce((sum, ms) => sum + ms, 0);
  const share = (ms: number) => `${((ms / whole) * 100).toFixed(2)}%`;
  let [began, styles, groups] = [0, '', ''];
  for (const [place, { lines }] of pictures.entries()) {
    const isLast = place === pictures.length - 1;
    const end = began + (shown[place] ?? 0);
    const before = place === 0 ? '' : '0%{visibility:hidden}';
    const after = isLast ? '' : `${share(end)},100%{visibility:hidden}`;
    styles += `@keyframes p${place}{${before}${share(began)}{visibility:visible}${after}}`;
    styles += `#p${place}{visibility:${isLast ? 'visible' : 'hidden'};animation:p${place} ${Math.round(whole)}ms step-end infinite}`;
    const texts = lines.flatMap((line, row) =>
      line === '' ? [] : [`<text y="${MARGIN + (row + 0.75) * CELL_HEIGHT}">${line}</text>`],
    );
    groups += `<g id="p${place}">${texts.join('')}</g>\n`;
    began = end;
  }
  const [width, height] = [columns * CELL_WIDTH + 2 * MARGIN, rows * CELL_HEIGHT + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${FOREGROUND}" xml:space="preserve">
<title>sonde in a terminal</title>
<style>text{white-space:pre}${styles}</style>
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}" stroke="${FRAME}"/>
${groups}</svg>
`;
}
