/** A terminal's cells as text that a person can review: styles stand in it as words, `‹red bold›FAILED‹›`. */
import type { IBufferCell, IBufferLine } from '@xterm/headless';

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

function colourOf(number: number): string {
  const name = COLOURS[number % 8] ?? '';
  return number < 8 ? name : number < 16 ? `bright-${name}` : `colour${number}`;
}

const rgb = (colour: number): string => `#${colour.toString(16).padStart(6, '0')}`;

function styleOf(cell: IBufferCell): string {
  return [
    ...(cell.isFgPalette() ? [colourOf(cell.getFgColor())] : cell.isFgRGB() ? [rgb(cell.getFgColor())] : []),
    ...(cell.isBgPalette()
      ? [`on-${colourOf(cell.getBgColor())}`]
      : cell.isBgRGB()
        ? [`on-${rgb(cell.getBgColor())}`]
        : []),
    ...(cell.isBold() ? ['bold'] : []),
    ...(cell.isDim() ? ['dim'] : []),
    ...(cell.isItalic() ? ['italic'] : []),
    ...(cell.isUnderline() ? ['underline'] : []),
    ...(cell.isInverse() ? ['inverse'] : []),
  ].join(' ');
}

/** One row, with its styles where `styled`; blanks at its end are left out. */
export function rowText(line: IBufferLine, styled: boolean): string {
  let text = '';
  let style = '';
  for (let column = 0; column < line.length; column++) {
    const cell = line.getCell(column);
    // The second half of a wide character.
    if (!cell || cell.getWidth() === 0) continue;
    const next = styled ? styleOf(cell) : '';
    if (next !== style) text += next === '' ? '‹›' : `‹${next}›`;
    style = next;
    text += cell.getChars() || ' ';
  }
  return `${text.trimEnd()}${style === '' ? '' : '‹›'}`;
}
