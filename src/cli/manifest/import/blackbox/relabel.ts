/** Applies the relabeling of Prometheus, which decides the target and the module of a probe. */
import { createHash } from 'node:crypto';
import { RE2JS } from 're2js';
import { UsageError } from '../../../../base/errors.ts';
import type { JsonObject } from '../../../../base/object.ts';
import { textOf } from '../values.ts';

export type Labels = Readonly<Record<string, string>>;

/** Returns the labels after all rules. Undefined: a rule drops the target. */
export function relabel(labels: Labels, rules: readonly JsonObject[]): Labels | undefined {
  let current: Labels | undefined = labels;
  for (const rule of rules) current = current && applyRule(current, rule);
  return current;
}

function applyRule(labels: Labels, rule: JsonObject): Labels | undefined {
  const sources = Array.isArray(rule.source_labels) ? rule.source_labels.map(String) : [];
  const value = sources.map((name) => labels[name] ?? '').join(textOf(rule.separator ?? ';'));
  // As in Prometheus: the expression matches the whole value, and the time is linear in its length.
  const regex = compile(textOf(rule.regex ?? '(.*)'));
  const target = textOf(rule.target_label);
  switch (textOf(rule.action ?? 'replace').toLowerCase()) {
    case 'replace': {
      const match = matchOf(regex, value);
      if (match === undefined) return labels;
      return withLabel(labels, expand(target, match), expand(textOf(rule.replacement ?? '$1'), match));
    }
    case 'keep':
      return regex.testExact(value) ? labels : undefined;
    case 'drop':
      return regex.testExact(value) ? undefined : labels;
    case 'lowercase':
      return withLabel(labels, target, value.toLowerCase());
    case 'uppercase':
      return withLabel(labels, target, value.toUpperCase());
    case 'labelmap':
      return Object.entries(labels).reduce((mapped, [name, text]) => {
        const match = matchOf(regex, name);
        return match === undefined
          ? mapped
          : withLabel(mapped, expand(textOf(rule.replacement ?? '$1'), match), text);
      }, labels);
    case 'labeldrop':
      return Object.fromEntries(Object.entries(labels).filter(([name]) => !regex.testExact(name)));
    case 'labelkeep':
      return Object.fromEntries(Object.entries(labels).filter(([name]) => regex.testExact(name)));
    case 'keepequal':
      return value === (labels[target] ?? '') ? labels : undefined;
    case 'dropequal':
      return value === (labels[target] ?? '') ? undefined : labels;
    case 'hashmod':
      return withLabel(labels, target, String(hashOf(value) % BigInt(textOf(rule.modulus))));
    default:
      throw new RangeError(`the relabeling has no action ${textOf(rule.action)}`);
  }
}

/** Returns the number that Prometheus calculates of a value: the second half of its MD5 hash. */
const hashOf = (value: string): bigint =>
  BigInt(`0x${createHash('md5').update(value).digest('hex').slice(16)}`);

/** An empty value removes the label. */
const withLabel = (labels: Labels, name: string, value: string): Labels => {
  const { [name]: _, ...others } = labels;
  return value === '' ? others : { ...others, [name]: value };
};

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern, RE2JS.DOTALL);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `the regular expression ${pattern.slice(0, 200)} of a relabeling is invalid: ${reason}`,
    );
  }
}

/** The groups of a match, by number and name. */
type Groups = Readonly<Record<string, string | null>>;

/** Returns undefined if the expression does not match the whole text. */
function matchOf(regex: RE2JS, text: string): Groups | undefined {
  const matcher = regex.matcher(text);
  if (!matcher.matches()) return undefined;
  const named = Object.entries(regex.namedGroups()).map(([name, at]) => [name, matcher.group(at)] as const);
  const numbered = Array.from(
    { length: matcher.groupCount() + 1 },
    (_, at) => [String(at), matcher.group(at)] as const,
  );
  return Object.fromEntries([...named, ...numbered]);
}

/** Replaces `$1`, `${1}` and `${name}` by groups. */
const expand = (text: string, groups: Groups): string =>
  text.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (_, braced?: string, bare?: string) => groups[braced ?? bare ?? ''] ?? '',
  );
