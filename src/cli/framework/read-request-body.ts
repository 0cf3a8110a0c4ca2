/** Builds a request body from the command's own values, the file of `-f`, flags and `--set`; each overrides the one before. */
import type { Problem } from '../../base/errors.ts';
import type { JsonObject } from '../../base/object.ts';
import type { Endpoint, JsonSchema } from '../../contract/index.ts';
import type { CommandSpec } from './command-spec.ts';
import type { ValueProblem } from './options.ts';
import { explainJsonExcess, parseEnvFile, parseFlagValues, parseValue } from './parse-flag-values.ts';
import type { TokenizedLine } from './program.ts';
import {
  camelCase,
  getAtPath,
  parsePath,
  type RequestField,
  schemaAtPath,
  setAtPath,
} from './request-fields.ts';
import type { Command } from './types.ts';
import type { ValueSources } from './validate-input.ts';

/** Everything that parsing reads besides the line. */
export interface ParseContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Reads a file by the name that the user gave, relative to the working folder. */
  readonly readFile: (name: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
}

interface BodyContext {
  /** The endpoint that is called, which has a body. */
  readonly endpoint: Endpoint;
  readonly schema: JsonSchema;
  readonly command: Command;
  readonly spec: CommandSpec;
  readonly line: TokenizedLine;
  readonly context: ParseContext;
  readonly sources: ValueSources;
  readonly problems: Problem[];
  readonly warn: (sentence: string) => void;
}

/** A body before validation, and the fields of its file that only responses have. */
export interface GivenBody {
  readonly values: Record<string, unknown>;
  readonly responseOnly: JsonObject;
}

/** Returns the body before validation, or `unreadable` if its file is not valid: validation would only add noise. */
export async function readRequestBody(work: BodyContext): Promise<GivenBody | 'unreadable'> {
  const { command, line } = work;
  const fill: Readonly<Record<string, unknown>> = command.flags?.fill ?? {};
  const name = line.texts.get('file')?.at(-1);
  const fromFile = name === undefined ? NOTHING : await readBodyFile(name, work);
  if (fromFile === undefined) return 'unreadable';
  const body: Record<string, unknown> = { ...structuredClone(fill), ...fromFile.values };
  for (const field of work.spec.fields) if (field.in === 'body') await applyField(body, field, work);
  for (const text of line.texts.get('set') ?? []) applySet(body, text, work);
  return { values: body, responseOnly: fromFile.responseOnly };
}

const NOTHING: GivenBody = { values: {}, responseOnly: {} };

async function readBodyFile(
  name: string,
  { command, endpoint, schema, context: { readFile, readStdin }, sources, problems, warn }: BodyContext,
): Promise<GivenBody | undefined> {
  const shown = name === '-' ? 'stdin' : name;
  const text = name === '-' ? await readStdin() : await readFile(name);
  const { formatPosition, parseYamlDocument } = await import('./lazy/yaml-document.ts');
  const document = parseYamlDocument(text);
  for (const problem of document.problems)
    problems.push({ place: formatPosition(shown, problem), message: problem.message });
  if (document.problems.length > 0) return undefined;
  sources.recordFile(shown, document.lineOf);
  const { withoutResponseFields } = await import('./lazy/response-fields.ts');
  const printedBy = [endpoint, ...(command.printedBy ? [command.printedBy] : [])].map((each) => each.name);
  const { body, responseOnly, ignored } = withoutResponseFields(schema, document.value, printedBy);
  if (ignored.length > 0)
    warn(`ignored in ${shown}, because the request has no such fields: ${ignored.join(', ')}`);
  return { values: body, responseOnly };
}

async function applyField(
  body: Record<string, unknown>,
  field: RequestField,
  { line, context, sources, problems }: BodyContext,
): Promise<void> {
  const put = (value: unknown, flag: string): void => {
    if (value === undefined) return;
    setAtPath(body, field.path, value);
    sources.record('body', field.path, `--${flag}`);
  };
  const reportProblem = (problem: ValueProblem): void => {
    problems.push({ place: `--${field.flag}`, ...problem });
  };
  const texts = line.texts.get(camelCase(field.flag));
  const files = line.texts.get(camelCase(`${field.flag}-file`));

  if (field.kind === 'variables' && (texts || files)) {
    const value = texts ? parseFlagValues(field, texts, { env: context.env, reportProblem }) : [];
    if (!Array.isArray(value)) return put(value, field.flag);
    const fromFiles: { key: string; value: string }[] = [];
    for (const name of files ?? []) {
      const read = parseEnvFile(await context.readFile(name), (number, message) =>
        problems.push({ place: `${name}:${number}`, message }),
      );
      fromFiles.push(...read.map(({ key, value: text }) => ({ key, value: text })));
    }
    // A variable on the line overrides one from a file.
    const byKey = new Map([...fromFiles, ...value].map((item: { key: string }) => [item.key, item]));
    return put([...byKey.values()], texts ? field.flag : `${field.flag}-file`);
  }
  if (files && texts) {
    reportProblem({ message: `cannot be combined with --${field.flag}-file` });
    return;
  }
  const [file] = files ?? [];
  if (file !== undefined) {
    const text = file === '-' ? await context.readStdin() : await context.readFile(file);
    // The line break at the end of a file is not part of a secret.
    return put(field.schema.writeOnly ? text.replace(/\r?\n$/, '') : text, `${field.flag}-file`);
  }
  if (texts) put(parseFlagValues(field, texts, { env: context.env, reportProblem }), field.flag);
}

function applySet(
  body: Record<string, unknown>,
  text: string,
  { schema, sources, problems }: BodyContext,
): void {
  const at = text.indexOf('=');
  const path = at < 0 ? undefined : parsePath(text.slice(0, at).trim());
  if (path === undefined) {
    problems.push({
      place: '--set',
      message: `must be path=value such as request.query=example.com or tags[0]=web, not "${text}"`,
    });
    return;
  }
  const parent = path.slice(0, -1);
  const last = path.at(-1);
  const list = getAtPath(body, parent);
  if (typeof last === 'number' && last > (Array.isArray(list) ? list.length : 0)) {
    problems.push({ place: `--set ${text.slice(0, at)}`, message: 'would leave a gap in the list' });
    return;
  }
  const value = text.slice(at + 1);
  const excess = explainJsonExcess(value);
  if (excess !== undefined) {
    problems.push({ place: `--set ${text.slice(0, at)}`, message: excess });
    return;
  }
  // `null` clears a field, whatever its schema.
  setAtPath(body, path, value === 'null' ? null : parseValue(value, schemaAtPath(schema, path) ?? {}));
  sources.record('body', path, `--set ${text.slice(0, at)}`);
}
