/** Prints the details of a failed script: its full errors, its console output and the paths of its files. */
import { relative } from 'node:path';
import { isObject, type JsonObject } from '../../../../src/base/object.ts';
import { isCheckType } from '../../../../src/contract/check-type-facts.ts';
import { CHECK_TYPES } from '../../../../src/contract/generated/check-types.js';
import type {
  LocalResult,
  LocalSessionBody,
} from '../../../../src/service/engine/local-sessions/run-checks.ts';
import { type Styles, sanitizeBlock, type Terminal } from '../../../../src/terminal/index.ts';

/** Limits of the output; `--json` prints everything. */
const MAX_RESULTS = 5;
const MAX_ERROR_LINES = 40;
const MAX_CONSOLE_LINES = 30;
const MAX_FILES = 20;

/** Prints the details of failed results to stderr. `cwd`: paths are relative to it. */
export async function printDetails(
  terminal: Terminal,
  sessions: readonly LocalSessionBody[],
  cwd: string,
): Promise<void> {
  const styles = await terminal.styles('stderr');
  const failed = sessions
    .flatMap(({ results }) => results)
    .filter(({ resultType, hasFailures, hasErrors }) => resultType === 'FINAL' && (hasFailures || hasErrors));
  const texts = failed.map((result) => formatDetails(result, styles, cwd)).filter((text) => text !== '');
  for (const text of texts.slice(0, MAX_RESULTS)) await terminal.err(`${text}\n`);
  if (texts.length > MAX_RESULTS)
    await terminal.note(`Details of ${texts.length - MAX_RESULTS} more results: pass --json.`);
}

function formatDetails(result: LocalResult, styles: Styles, cwd: string): string {
  const { checkType, errors, name } = result;
  const details = isCheckType(checkType) ? result[CHECK_TYPES[checkType].resultField] : undefined;
  const { console, artifacts } = isObject(details) ? details : {};
  const longErrors = errors.filter((error) => error.trim().includes('\n'));
  // The reporter of a suite prints the same errors.
  const lines = checkType === 'PLAYWRIGHT' && longErrors.length > 0 ? [] : objectsIn(console);
  const parts = [
    ...longErrors.map((error) => ['Error', error, MAX_ERROR_LINES] as const),
    ['Console', lines.map(formatConsoleLine).join('\n'), MAX_CONSOLE_LINES] as const,
    [
      'Files',
      objectsIn(artifacts)
        .map(({ path }) => relative(cwd, String(path)))
        .join('\n'),
      MAX_FILES,
    ] as const,
  ].filter(([, text]) => text !== '');
  if (parts.length === 0) return '';
  const blocks = parts.map(([title, text, most]) => `${styles.bold(title)}\n${formatBlock(text, most)}`);
  return `\n${styles.bold(sanitizeBlock(name ?? ''))}\n${blocks.join('\n')}`;
}

const objectsIn = (list: unknown): readonly JsonObject[] =>
  Array.isArray(list) ? list.filter(isObject) : [];

const formatConsoleLine = ({ level, text }: JsonObject): string =>
  level === 'error' || level === 'warning' ? `${level}: ${text}` : String(text);

function formatBlock(text: string, most: number): string {
  const lines = sanitizeBlock(text).trimEnd().split('\n');
  const left = lines.length - most;
  return [...lines.slice(0, most), ...(left > 0 ? [`and ${left} more lines`] : [])]
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}
