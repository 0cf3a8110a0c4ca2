/** Converts items of a source so that nothing of them is lost without a word. */
import type { JsonObject } from '../../../base/object.ts';
import type { Conversion, Outcome, ReportLoss } from './conversion.ts';
import { listUnread, readWhole, settleField } from './tracked-source.ts';

/** What a field without a converter means. `covered`: another loss names it, or it changes nothing. */
export type FieldRule = readonly [outcome: Outcome, reason: string] | 'covered';
/** Rules by path without indexes: `client.oauth2`. A rule also holds for the fields below. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

export interface Item {
  /** What the source calls the item: `monitor`, `endpoint`. */
  readonly kind: string;
  readonly name: string;
  /** A view of the item. */
  readonly source: JsonObject;
  readonly rules?: FieldRules;
  /** The rule of all other fields. */
  readonly fallback?: FieldRule;
  /** Whether a field has the value that it has without a setting. */
  readonly isDefault?: (path: string, value: unknown) => boolean;
}

const NO_COUNTERPART: FieldRule = ['changed', 'it has no counterpart'];

function ruleOf(path: string, rules: FieldRules, fallback: FieldRule): FieldRule {
  const rule = rules[path];
  const end = path.lastIndexOf('.');
  return rule ?? (end === -1 ? fallback : ruleOf(path.slice(0, end), rules, fallback));
}

/** Reports the fields of an item that no converter read and no loss names. Afterwards nothing of it is open. */
export function reportUnread(
  conversion: Conversion,
  { kind, name, source, rules = {}, fallback = NO_COUNTERPART, isDefault }: Item,
  report: ReportLoss = conversion.lossesOf(kind, name),
): void {
  const paths = Object.keys(rules);
  const withoutIndexes = (path: string): string => path.replace(/\[\d+\]/g, '');
  const divides = (path: string) => paths.some((each) => each.startsWith(`${withoutIndexes(path)}.`));
  for (const { path, value } of listUnread(source, divides)) {
    if (isDefault?.(path, value)) continue;
    const rule = ruleOf(withoutIndexes(path), rules, fallback);
    if (rule !== 'covered') report(rule[0], path, rule[1]);
  }
  readWhole(source);
}

export interface ConvertedItem<T> {
  /** Undefined: the item is skipped, and a loss says so. */
  readonly value: T | undefined;
  /** Whether a loss decides between pass and fail. */
  readonly isPaused: boolean;
}

/**
 * Runs the converter of one item. Every field that the converter neither reads nor reports is a loss, also if the
 * converter returns early. A converter that throws skips the item.
 */
export function convertItem<T>(
  conversion: Conversion,
  item: Item,
  convert: (report: ReportLoss) => T | undefined,
): ConvertedItem<T> {
  const losses = conversion.lossesOf(item.kind, item.name);
  const outcomes = new Set<Outcome>();
  const report: ReportLoss = (outcome, field, reason) => {
    outcomes.add(outcome);
    losses(outcome, field, reason);
    if (field !== undefined) settleField(item.source, field);
  };
  let value: T | undefined;
  try {
    value = convert(report);
  } catch (cause) {
    report(
      'skipped',
      undefined,
      `sonde cannot convert it: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
  if (value !== undefined) reportUnread(conversion, item, report);
  else if (!outcomes.has('skipped')) report('skipped', undefined, 'it has no counterpart');
  readWhole(item.source);
  return { value, isPaused: outcomes.has('paused') };
}

/** Reports the settings of a source that belong to no item. */
export function reportSettings(
  conversion: Conversion,
  source: JsonObject,
  rules: FieldRules,
  fallback: FieldRule = ['skipped', 'it has no counterpart'],
): void {
  const report: ReportLoss = (outcome, path = '', reason) =>
    conversion.lossesOf('setting', path)(outcome, undefined, reason);
  reportUnread(conversion, { kind: 'setting', name: '', source, rules, fallback }, report);
}
