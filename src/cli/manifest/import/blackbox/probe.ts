/** Describes a probe of blackbox_exporter, and converts the settings that several probers have. */
import type { JsonObject } from '../../../../base/object.ts';
import type { Assertion } from '../assertions.ts';
import { formatSeconds } from '../check-parts.ts';
import type { Conversion, ReportLoss } from '../conversion.ts';
import { fromGoPattern } from '../go-pattern.ts';
import { flagOf, isFalse, textOf } from '../values.ts';

/** Seconds that Prometheus waits without another setting. */
export const DEFAULT_TIMEOUT = 10;
/** blackbox_exporter ends before the scrape does. */
export const TIMEOUT_MARGIN = 0.5;

export interface Probe {
  /** A view of the module. */
  readonly module: JsonObject;
  readonly target: string;
  readonly name: string;
  /** The shorter one of the timeouts of the module and of Prometheus. */
  readonly timeoutSeconds: number;
  readonly conversion: Conversion;
  readonly report: ReportLoss;
}

export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

export function limitsOf({ timeoutSeconds, report }: Probe, maximumSeconds: number): JsonObject {
  if (timeoutSeconds > maximumSeconds)
    report(
      'changed',
      'timeout',
      `${formatSeconds(timeoutSeconds)} became ${formatSeconds(maximumSeconds)}, the maximum`,
    );
  return {
    degradedResponseTime: null,
    maxResponseTime: Math.round(Math.min(timeoutSeconds, maximumSeconds) * 1000),
  };
}

/** Reports fields without a counterpart. `paused`: they decide between success and failure. */
export function loseFields(
  fields: JsonObject,
  prefix: string,
  report: ReportLoss,
  reasons: Readonly<Record<string, readonly ['paused' | 'changed', string]>>,
): void {
  for (const [name, [outcome, reason]] of Object.entries(reasons)) {
    const value = fields[name];
    if (
      value === undefined ||
      isFalse(value) ||
      value === '' ||
      value === 0 ||
      (Array.isArray(value) && value.length === 0)
    )
      continue;
    report(outcome, `${prefix}.${name}`, reason);
  }
}

/** Returns IPv6 for a probe that prefers or requires it. A check has no fallback to IPv4, which is reported. */
export function ipFamilyOf(settings: JsonObject, prefix: string, report: ReportLoss): string | undefined {
  const preferred = textOf(settings.preferred_ip_protocol);
  const fallsBack = flagOf(settings, 'ip_protocol_fallback', report, {
    fallback: true,
    path: `${prefix}.ip_protocol_fallback`,
  });
  if (preferred === 'ip4' || (preferred === '' && fallsBack)) return undefined;
  if (fallsBack)
    report('changed', `${prefix}.preferred_ip_protocol`, 'the check uses IPv6, without a fallback to IPv4');
  return 'IPv6';
}

/** Returns assertions that a text matches all expressions, or none of them. */
export function patternAssertions(
  patterns: readonly string[],
  base: Pick<Assertion, 'source' | 'property'>,
  matches: boolean,
  {
    field,
    report,
    isLine = false,
  }: { readonly field: string; readonly report: ReportLoss; readonly isLine?: boolean },
): readonly Assertion[] {
  return patterns.flatMap((pattern) => {
    const regex = fromGoPattern(pattern, isLine);
    if (regex !== undefined) return [{ ...base, comparison: matches ? 'NOT_NULL' : 'IS_NULL', regex }];
    report('paused', field, `the expression ${pattern} is not supported; write it without flags`);
    return [];
  });
}
