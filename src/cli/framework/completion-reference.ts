/** Describes every command's arguments, flags and their values for shell completion. The build writes it into a module. */
import { CHECK_TYPE_NAMES } from '../../contract/check-type-facts.ts';
import { LOCATIONS } from '../../contract/enumerations.ts';
import { OUTPUT_FORMATS } from '../../terminal/output.ts';
import { resourceOfField } from './arguments.ts';
import { commandSpecOf, type Flag } from './command-spec.ts';
import type { Argument, ArgumentTarget, OptionTarget, ResourceName } from './options.ts';
import type { Command } from './types.ts';

/** The possible values of a flag or an argument. */
export type ValueSpec =
  /** One of these; `commas`: or several, separated by commas. */
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly commas?: true }
  | { readonly kind: 'file' | 'folder' | 'profile' | 'service-key' | 'variable' }
  /** One of these words, a colon, and a file. */
  | { readonly kind: 'kind:file'; readonly words: readonly string[] }
  | { readonly kind: 'resource'; readonly of: ResourceName; readonly commas?: true }
  /** `SOURCE COMPARISON target` */
  | {
      readonly kind: 'assertion';
      readonly sources: readonly string[];
      readonly comparisons: readonly string[];
    }
  /** `name=value,…`; the possible values by name. */
  | { readonly kind: 'pairs'; readonly names: Readonly<Record<string, readonly string[]>> };

export interface ReferenceFlag extends Pick<Flag['option'], 'takes' | 'summary' | 'short' | 'negative'> {
  /** Without dashes. */
  readonly flag: string;
  readonly deprecated?: true | undefined;
  readonly values?: ValueSpec | undefined;
}

export interface ReferenceArgument {
  readonly variadic: boolean;
  readonly values?: ValueSpec | undefined;
}

export interface ReferenceCommand {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly ReferenceArgument[];
  readonly flags: readonly ReferenceFlag[];
}

export interface CompletionReference {
  /** Flags of every command. */
  readonly common: readonly ReferenceFlag[];
  readonly commands: readonly ReferenceCommand[];
}

/** Fields of locations. Their schemas allow any text, because it may be a private location. */
const LOCATION_FIELDS = ['location', 'runLocation'];

const words = (allowed: readonly string[], commas: boolean): ValueSpec => ({
  kind: 'words',
  // `null` clears a field and is not one of its values.
  words: allowed.filter((word) => word !== 'null'),
  ...(commas ? { commas: true } : {}),
});

const targetValues = (of: ArgumentTarget | OptionTarget): ValueSpec =>
  of === 'profile' || of === 'service-key' ? { kind: of } : { kind: 'resource', of };

/** Returns the values of one flag. `fields`: the field names of the endpoint's response. */
function valuesOf(
  { flag, option, field, group }: Flag,
  command: Command,
  fields: readonly string[],
): ValueSpec | undefined {
  const { placeholder = '', allowed, takes, of } = option;
  if (takes === 'nothing') return undefined;
  if (of !== undefined) return targetValues(of);
  if (group === 'output' && flag === 'output')
    return words([...OUTPUT_FORMATS, ...(command.formats ?? [])], false);
  if (group === 'output' && flag === 'fields') return fields.length > 0 ? words(fields, true) : undefined;
  if (placeholder === 'kind:file') return { kind: 'kind:file', words: allowed ?? [] };
  if (placeholder === 'file' || placeholder === 'folder') return { kind: placeholder };
  if (allowed) return words(allowed, field?.kind === 'list');
  if (!field || flag !== field.flag) return undefined;
  const name = String(field.path.at(-1) ?? '');
  const resource = resourceOfField(field);
  const { properties = {} } = field.schema.items ?? field.schema;
  switch (field.kind) {
    case 'variables':
      return { kind: 'variable' };
    case 'assertions':
      return {
        kind: 'assertion',
        sources: (properties.source?.enum ?? []).map(String),
        comparisons: (properties.comparison?.enum ?? []).map(String),
      };
    case 'object':
    case 'objects':
      return {
        kind: 'pairs',
        names: Object.fromEntries(
          Object.entries(properties).map(([key, { enum: among = [] }]) => [key, among.map(String)]),
        ),
      };
    case 'scalar':
    case 'list':
    case 'ids':
      if (LOCATION_FIELDS.includes(name)) return words(LOCATIONS, false);
      if (name === 'checkType') return words(CHECK_TYPE_NAMES, false);
      return resource === undefined ? undefined : { kind: 'resource', of: resource };
    default:
      return undefined;
  }
}

const argumentOf = ({ variadic, of, allowed }: Argument<unknown>): ReferenceArgument => ({
  variadic,
  values: allowed ? words(allowed, false) : of === undefined ? undefined : targetValues(of),
});

/** Returns all commands; flags of every command are listed once. `fieldsOf`: the field names of an endpoint's response. */
export function completionReferenceOf(
  commands: readonly Command[],
  fieldsOf: (endpoint: string) => readonly string[],
): CompletionReference {
  const entries = commands.map((command): ReferenceCommand => {
    const spec = commandSpecOf(command);
    const reads = command.endpoint?.method === 'GET' ? fieldsOf(command.endpoint.name) : [];
    return {
      name: command.name,
      summary: command.summary,
      arguments: spec.arguments.map(([, argument]) => argumentOf(argument)),
      flags: spec.flags.map((flag) => {
        const { takes, summary, short, negative, deprecated } = flag.option;
        return {
          flag: flag.flag,
          takes,
          summary,
          short,
          negative,
          deprecated: deprecated === undefined ? undefined : true,
          values: valuesOf(flag, command, reads),
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
