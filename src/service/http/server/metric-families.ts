/** Formats families of metrics in the Prometheus text format. prom-client hashes the labels of each sample, which is slow for many checks. */

/** The contents of the HELP and TYPE lines of a family. */
interface FamilyHeader {
  readonly name: string;
  /** One sentence without a full stop. */
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'summary';
}

export interface MetricFamily extends FamilyHeader {
  readonly samples: Iterable<MetricSample>;
}

/** A family with samples of many subjects. */
export interface SeriesFamily<Subject> extends FamilyHeader {
  readonly samples: (subject: Subject) => readonly MetricSample[];
}

/** `labels`: the result of `formatLabels`. `suffix`: `_sum` or `_count` of a summary. */
export interface MetricSample {
  readonly labels?: string;
  readonly suffix?: '_sum' | '_count';
  readonly value: number;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

/** Returns labels between braces. Their values may be any text. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replaceAll(/[\\"\n]/g, (character) => ESCAPES[character] ?? '')}"`,
  );
  return `{${pairs.join(',')}}`;
}

/** Adds a label to the result of `formatLabels`. `value` holds no character that needs an escape. */
export const addLabel = (labels: string, name: string, value: string): string =>
  `${labels.slice(0, -1)},${name}="${value}"}`;

/** Defines the gauge of a check, or of one of its locations. A deactivated check has none, because nobody wants alerts about it. */
export const defineGauge = <Subject extends { readonly isActive: boolean; readonly labels: string }>(
  name: string,
  help: string,
  measure: (subject: Subject) => number | null,
): SeriesFamily<Subject> => ({
  name,
  help,
  type: 'gauge',
  samples(subject) {
    const value = subject.isActive ? measure(subject) : null;
    return value === null ? [] : [{ labels: subject.labels, value }];
  },
});

/** Returns the HELP and TYPE lines of a family. */
export const formatHeader = ({ name, help, type }: FamilyHeader): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** Returns the lines of samples. */
export function formatSamples(name: string, samples: Iterable<MetricSample>): string {
  let text = '';
  for (const { labels = '', suffix = '', value } of samples) text += `${name}${suffix}${labels} ${value}\n`;
  return text;
}

/** Returns a family with its HELP and TYPE lines, ending with a newline. */
export const formatFamily = ({ samples, ...header }: MetricFamily): string =>
  formatHeader(header) + formatSamples(header.name, samples);
