/** Applies the relabeling of Prometheus, which decides the target and the module of a probe. */
import { createHash } from 'node:crypto';
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
  const regex = new RegExp(`^(?:${textOf(rule.regex ?? '(.*)')})$`, 's');
  const target = textOf(rule.target_label);
  switch (textOf(rule.action ?? 'replace').toLowerCase()) {
    case 'replace': {
      const match = regex.exec(value);
      if (match === null) return labels;
      return withLabel(labels, expand(target, match), expand(textOf(rule.replacement ?? '$1'), match));
    }
    case 'keep':
      return regex.test(value) ? labels : undefined;
    case 'drop':
      return regex.test(value) ? undefined : labels;
    case 'lowercase':
      return withLabel(labels, target, value.toLowerCase());
    case 'uppercase':
      return withLabel(labels, target, value.toUpperCase());
    case 'labelmap':
      return Object.entries(labels).reduce((mapped, [name, text]) => {
        const match = regex.exec(name);
        return match === null
          ? mapped
          : withLabel(mapped, expand(textOf(rule.replacement ?? '$1'), match), text);
      }, labels);
    case 'labeldrop':
      return Object.fromEntries(Object.entries(labels).filter(([name]) => !regex.test(name)));
    case 'labelkeep':
      return Object.fromEntries(Object.entries(labels).filter(([name]) => regex.test(name)));
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

/** Replaces `$1`, `${1}` and `${name}` by groups. */
const expand = (text: string, match: RegExpExecArray): string =>
  text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare ?? '';
    return (/^\d+$/.test(name) ? match[Number(name)] : match.groups?.[name]) ?? '';
  });
