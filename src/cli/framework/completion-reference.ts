/** What the build writes of every command for those who complete words: its arguments, its flags, and what may stand there. */
import { CHECK_TYPES, LOCATIONS } from '../../contract/enumerations.ts';
import { OUTPUT_FORMATS } from '../../terminal/output.ts';
import { type Flag, shapeOf } from './command-spec.ts';
import { thingOfField } from './name-arguments.ts';
import type { Argument, Named, OwnName, Takes, ThingName } from './options.ts';
import type { Command } from './types.ts';

/** What may stand as the value of a flag or an argument. */
export type Values =
  /** One of these; `commas`: or several with commas between them. */
  | { readonly is: 'words'; readonly words: readonly string[]; readonly commas?: true }
  | { readonly is: 'file' | 'folder' | 'profile' | 'service-key' | 'variable' }
  /** One of these, a colon, and a file. */
  | { readonly is: 'kind:file'; readonly words: readonly string[] }
  | { readonly is: 'thing'; readonly of: ThingName; readonly commas?: true }
  /** `SOURCE COMPARISON target` */
  | { readonly is: 'assertion'; readonly sources: readonly string[]; readonly comparisons: readonly string[] }
  /** `name=value,…` by name, with the words that the value may be. */
  | { readonly is: 'pairs'; readonly names: Readonly<Record<string, readonly string[]>> };

export interface ReferenceFlag {
  /** Without dashes. */
  readonly flag: string;
  readonly takes: Takes;
  readonly summary: string;
  readonly short?: string;
  readonly negative?: 'also' | 'only';
  readonly deprecated?: true;
  readonly values?: Values;
}

export interface ReferenceArgument {
  readonly variadic: boolean;
  readonly values?: Values;
}

export interface ReferenceEntry {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly ReferenceArgument[];
  readonly flags: readonly ReferenceFlag[];
}

export interface Reference {
  /** What every command takes. */
  readonly common: readonly ReferenceFlag[];
  readonly commands: readonly ReferenceEntry[];
}

/** Fields whose schema lets any text stand, as a private location may be meant, too. */
const IN_LOCATIONS = ['location', 'runLocation'];

const words = (allowed: readonly string[], commas: boolean): Values => ({
  is: 'words',
  // What clears a field is no value of it.
  words: allowed.filter((word) => word !== 'null'),
  ...(commas ? { commas: true } : {}),
});

const idsOf = (of: Named | OwnName): Values =>
  of === 'profile' || of === 'service-key' ? { is: of } : { is: 'thing', of };

/** Of one flag. `fields`: the names of what the command's endpoint answers. */
function valuesOf(
  { flag, option, field, group }: Flag,
  command: Command,
  fields: readonly string[],
): Values | undefined {
  const { placeholder = '', allowed, takes, of } = option;
  if (takes === 'nothing') return undefined;
  if (of !== undefined) return idsOf(of);
  if (group === 'output' && flag === 'output')
    return words([...OUTPUT_FORMATS, ...(command.formats ?? [])], false);
  if (group === 'output' && flag === 'fields') return fields.length > 0 ? words(fields, true) : undefined;
  if (placeholder === 'kind:file') return { is: 'kind:file', words: allowed ?? [] };
  if (placeholder === 'file' || placeholder === 'folder') return { is: placeholder };
  if (allowed) return words(allowed, field?.kind === 'list');
  if (!field || flag !== field.flag) return undefined;
  const name = String(field.path.at(-1) ?? '');
  const thing = thingOfField(field);
  const { properties = {} } = field.schema.items ?? field.schema;
  switch (field.kind) {
    case 'variables':
      return { is: 'variable' };
    case 'assertions':
      return {
        is: 'assertion',
        sources: (properties.source?.enum ?? []).map(String),
        comparisons: (properties.comparison?.enum ?? []).map(String),
      };
    case 'object':
    case 'objects':
      return {
        is: 'pairs',
        names: Object.fromEntries(
          Object.entries(properties).map(([key, { enum: among = [] }]) => [key, among.map(String)]),
        ),
      };
    case 'scalar':
    case 'list':
      if (IN_LOCATIONS.includes(name)) return words(LOCATIONS, false);
      if (name === 'checkType') return words(CHECK_TYPES, false);
      return thing === undefined ? undefined : { is: 'thing', of: thing };
    default:
      return undefined;
  }
}

function argumentOf({ variadic, of, allowed }: Argument<unknown>): ReferenceArgument {
  const values: Values | undefined = allowed
    ? words(allowed, false)
    : of === undefined
      ? undefined
      : idsOf(of);
  return { variadic, ...(values ? { values } : {}) };
}

/** All commands, what they have in common written once. `fieldsOf`: the names of what an endpoint answers. */
export function referenceOf(
  commands: readonly Command[],
  fieldsOf: (endpoint: string) => readonly string[],
): Reference {
  const entries = commands.map((command): ReferenceEntry => {
    const shape = shapeOf(command);
    const reads = command.endpoint?.method === 'GET' ? fieldsOf(command.endpoint.name) : [];
    return {
      name: command.name,
      summary: command.summary,
      arguments: shape.arguments.map(([, argument]) => argumentOf(argument)),
      flags: shape.flags.map((flag) => {
        const { takes, summary, short, negative, deprecated } = flag.option;
        const values = valuesOf(flag, command, reads);
        return {
          ...{ flag: flag.flag, takes, summary },
          ...(short ? { short } : {}),
          ...(negative ? { negative } : {}),
          ...(deprecated === undefined ? {} : { deprecated: true }),
          ...(values ? { values } : {}),
        };
      }),
    };
  });
  const texts = entries.map(({ flags }) => new Set(flags.map((flag) => JSON.stringify(flag))));
  const isCommon = (flag: ReferenceFlag): boolean => {
    const text = JSON.stringify(flag);
    return texts.every((own) => own.has(text));
  };
  return {
    common: entries[0]?.flags.filter(isCommon) ?? [],
    commands: entries.map((entry) => ({ ...entry, flags: entry.flags.filter((flag) => !isCommon(flag)) })),
  };
}
