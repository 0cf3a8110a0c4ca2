/** Prints a summary of the request before the confirmation. */
import { nameOfValue } from '../../contract/value-names.ts';
import type { Flag } from '../framework/command-spec.ts';
import { camelCase, kebabCase } from '../framework/request-fields.ts';
import type { PromptContext } from './context.ts';
import { redactFlagText } from './equivalent-line.ts';

/** Prints the summary to stderr. */
export async function printSummary({ spec, draft, deps, command }: PromptContext): Promise<void> {
  const { terminal } = deps;
  const { texts } = draft.line();
  const order = (command.interview?.steps ?? []).map(({ flag }) => flag);
  const position = ({ field, flag }: Flag) => {
    const at = order.indexOf(field?.flag ?? flag);
    return at < 0 ? order.length : at;
  };
  const rows = spec.flags
    .filter(
      ({ group, flag }) => (group === 'body' || BODY_FLAGS.includes(flag)) && texts.has(camelCase(flag)),
    )
    .sort((a, b) => position(a) - position(b))
    .map((flag): readonly [string, string] => [
      kebabCase(String(flag.field?.path.at(-1) ?? flag.flag)).replaceAll('-', ' '),
      formatValue(flag, texts.get(camelCase(flag.flag)) ?? [], command.endpoint?.body),
    ]);
  const widest = Math.max(...rows.map(([label]) => label.length));
  const { dim } = await terminal.styles('stderr');
  await terminal.err('\n');
  for (const [label, value] of rows) {
    const left = `  ${label.padEnd(widest)}  `;
    const indent = ' '.repeat(left.length);
    await terminal.lines(value, (text) => dim(left) + text.slice(indent.length), indent);
  }
  await terminal.lines(
    `All other fields have their defaults. To list them, run: sonde ${command.name} --help`,
    dim,
    '  ',
  );
  await terminal.err('\n');
}

/** Flags that set more of the body than one field. */
const BODY_FLAGS = ['file', 'set'];

function formatValue(
  flag: Flag,
  texts: readonly string[],
  body: Parameters<typeof redactFlagText>[3],
): string {
  const { option, field } = flag;
  if (option.takes === 'nothing') return texts.at(-1) === 'false' ? 'no' : 'yes';
  // Repeated values get one line each.
  const shown = texts.flatMap((text) => redactFlagText(text, flag.flag, field, body));
  if (field?.kind === 'list') return shown.join(',').replaceAll(',', ', ');
  if (field?.kind !== 'scalar') return shown.join('\n');
  const [text = ''] = shown.slice(-1);
  // The meaning of a number is clearer than the number.
  const named = typeof field.schema.enum?.[0] === 'number' ? nameOfValue(field.schema, text) : undefined;
  return named?.description || text;
}
