/** The terminal's front door. All of it is light: what is heavy lies in `late/` and is loaded on use. */
export type { OutputStream } from './channel.ts';
export { type Env, plainStyles, type Styles, wantsColor } from './color.ts';
export type { Column, ColumnKind } from './columns.ts';
export { checkFields } from './fields.ts';
export { toJson } from './json.ts';
export type { Live, LiveCanvas, LiveLine } from './live.ts';
export {
  type ExtraFormat,
  type OutputFlags,
  type OutputFormat,
  type OutputOptions,
  resolveOutput,
  wantsJson,
} from './output.ts';
export {
  askChoice,
  askChoices,
  askSecret,
  askText,
  confirm,
  unanswered,
} from './prompts/ask.ts';
export type { Check, Choice, MoreChoices, Question, TextQuestion } from './prompts/types.ts';
export { isForPeople, isTableOnScreen, render } from './render.ts';
export { sanitizeBlock, sanitizeLine } from './sanitize.ts';
export type { Spinner } from './spinner.ts';
export { type Cell, layoutRows, type TableColumn } from './table.ts';
export {
  createTerminal,
  type InputStream,
  type StreamName,
  type Terminal,
  type TerminalFlags,
  type TerminalOptions,
} from './terminal.ts';
export { absoluteTime, duration, isoTime, relativeTime, toInstant } from './time.ts';
export { paint, statusTone, type Tone } from './tone.ts';
export { gather, type View } from './view.ts';
export { codeOf, writeFault } from './write-faults.ts';
