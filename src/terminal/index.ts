/** Exports the public interface of `src/terminal`. It loads fast: heavy modules are in `lazy/` and load on use. */

export { errorCode, formatWriteError } from '../base/file-fault.ts';
export { sanitizeBlock, sanitizeLine } from '../base/sanitize.ts';
export type { Cell, TableColumn } from './cells.ts';
export type { OutputStream } from './channel.ts';
export { type Env, plainStyles, type Styles, wantsColor } from './color.ts';
export type { Column, ColumnKind } from './columns.ts';
export { validateFields } from './fields.ts';
export { toJson } from './json.ts';
export type { Live, LiveCanvas, LiveLine, Spinner } from './live.ts';
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
  unansweredError,
} from './prompts/ask.ts';
export type { Choice, MoreChoices, Question, TextQuestion, Validator } from './prompts/types.ts';
export { isHumanReadable, isTableOnScreen, render } from './render.ts';
export {
  createTerminal,
  type InputStream,
  type StreamName,
  type Terminal,
  type TerminalFlags,
  type TerminalOptions,
} from './terminal.ts';
export { formatAbsoluteTime, formatIsoTime, formatRelativeTime, toInstant } from './time.ts';
export { paint, statusTone, type Tone } from './tone.ts';
export { toArray, type View } from './view.ts';
