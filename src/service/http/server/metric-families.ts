/** Formats families of metrics in the Prometheus text format. prom-client hashes the labels of each sample, which is slow for many checks. */

export interface MetricFamily {
  readonly name: string;
  /** One sentence without a full stop. */
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'summary';
  readonly samples: Iterable<MetricSample>;
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

/** Returns a family with its HELP and TYPE lines, ending with a newline. */
export function formatFamily({ name, help, type, samples }: MetricFamily): string {
  let text = `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
  for (const { labels = '', suffix = '', value } of samples) text += `${name}${suffix}${labels} ${value}\n`;
  return text;
}
