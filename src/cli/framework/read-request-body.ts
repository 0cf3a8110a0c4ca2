/** Puts a request body together: what the command fills in, the file of `-f`, then flags and `--set`, each over the last. */
import type { Problem } from '../../base/errors.ts';
import type { JsonSchema } from '../../contract/index.ts';
import { camel, type Field } from './request-fields.ts';
import { getAt, parsePath, schemaAtPath, setAt } from './body-paths.ts';
import type { Shape } from './command-spec.ts';
import { readEnvFile, readField, valueFor } from './parse-flag-values.ts';
import type { Complaint } from './options.ts';
import type { ParseContext } from './parse-context.ts';
import type { Collected } from './tokenize-argv.ts';
import type { Command } from './types.ts';
import type { Places } from './validate-input.ts';

interface Work {
  readonly schema: JsonSchema;
  readonly command: Command;
  readonly shape: Shape;
  readonly collected: Collected;
  readonly context: ParseContext;
  readonly places: Places;
  readonly problems: Problem[];
}

/** The body, unjudged; `unreadable` where its file is, so that judging it would only add noise. */
export async function readBody(work: Work): Promise<Record<string, unknown> | 'unreadable'> {
  const { command, collected, context, places, problems } = work;
  const fill: Readonly<Record<string, unknown>> = command.flags?.fill ?? {};
  const name = collected.texts.get('file')?.at(-1);
  const fromFile = name === undefined ? {} : await readFileBody(name, context, places, problems);
  if (fromFile === undefined) return 'unreadable';
  const body: Record<string, unknown> = { ...structuredClone(fill), ...fromFile };
  for (const field of work.shape.fields) if (field.in === 'body') await applyField(body, field, work);
  for (const text of collected.texts.get('set') ?? []) applySet(body, text, work);
  return body;
}

async function readFileBody(
  name: string,
  { readFile, readStdin }: ParseContext,
  places: Places,
  problems: Problem[],
): Promise<Record<string, unknown> | undefined> {
  const shown = name === '-' ? 'stdin' : name;
  const text = name === '-' ? await readStdin() : await readFile(name);
  const { readDocument } = await import('./lazy/yaml-document.ts');
  const read = readDocument(text);
  for (const { line, message } of read.problems) {
    problems.push({ place: line === undefined ? shown : `${shown}:${line}`, message });
  }
  if (read.problems.length > 0) return undefined;
  places.file(shown, read.lineOf);
  return read.value;
}

async function applyField(body: Record<string, unknown>, field: Field, work: Work): Promise<void> {
  const { collected, context, places, problems } = work;
  const put = (value: unknown, flag: string): void => {
    if (value === undefined) return;
    setAt(body, field.path, value);
    places.note('body', field.path, `--${flag}`);
  };
  const complain = (complaint: Complaint): void => {
    problems.push({ place: `--${field.flag}`, ...complaint });
  };
  const given = collected.texts.get(camel(field.flag));
  const files = collected.texts.get(camel(`${field.flag}-file`));

  if (field.kind === 'variables' && (given || files)) {
    const value = given ? readField(field, given, { env: context.env, complain }) : [];
    if (!Array.isArray(value)) return put(value, field.flag);
    const fromFiles: { key: string; value: string }[] = [];
    for (const name of files ?? []) {
      const read = readEnvFile(await context.readFile(name), (line, message) =>
        problems.push({ place: `${name}:${line}`, message }),
      );
      fromFiles.push(...read.map(({ key, value: text }) => ({ key, value: text })));
    }
    // A variable given on the line counts before one of a file.
    const byKey = new Map([...fromFiles, ...value].map((item: { key: string }) => [item.key, item]));
    return put([...byKey.values()], given ? field.flag : `${field.flag}-file`);
  }
  if (files && given) {
    complain({ message: `cannot be combined with --${field.flag}-file` });
    return;
  }
  const [file] = files ?? [];
  if (file !== undefined) {
    const text = file === '-' ? await context.readStdin() : await context.readFile(file);
    // The line break that ends a file is no part of a secret.
    return put(field.schema.writeOnly ? text.replace(/\r?\n$/, '') : text, `${field.flag}-file`);
  }
  if (given) put(readField(field, given, { env: context.env, complain }), field.flag);
}

function applySet(body: Record<string, unknown>, text: string, { schema, places, problems }: Work): void {
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
  const list = getAt(body, parent);
  if (typeof last === 'number' && last > (Array.isArray(list) ? list.length : 0)) {
    problems.push({ place: `--set ${text.slice(0, at)}`, message: 'would leave a gap in the list' });
    return;
  }
  const given = text.slice(at + 1);
  // Null clears, whether the field may be null or is taken away.
  setAt(body, path, given === 'null' ? null : valueFor(given, schemaAtPath(schema, path) ?? {}));
  places.note('body', path, `--set ${text.slice(0, at)}`);
}
