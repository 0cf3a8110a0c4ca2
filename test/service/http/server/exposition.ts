/** Parses the Prometheus text format strictly, for tests. Throws at the first line that the format does not allow. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(,|$)/y;
const UNESCAPED: Readonly<Record<string, string>> = { '\\\\': '\\', '\\"': '"', '\\n': '\n' };
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gauge: [''],
  counter: [''],
  summary: ['_sum', '_count'],
  histogram: ['_bucket', '_sum', '_count'],
};

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (LABEL.lastIndex = 0; LABEL.lastIndex < text.length; ) {
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`not labels: ${text}`);
    const [, name = '', value = ''] = match;
    if (name in labels) throw new Error(`label ${name} twice: ${text}`);
    labels[name] = value.replaceAll(/\\[\\"n]/g, (escaped) => UNESCAPED[escaped] ?? '');
  }
  return labels;
}

/** Returns the families in order. Each has HELP, then TYPE, then its samples; no family and no series occurs twice. */
export function parseExposition(text: string): Family[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families: { name: string; help: string; type: string; samples: Sample[] }[] = [];
  const seen = new Set<string>();
  const claim = (what: string) => {
    if (seen.has(what)) throw new Error(`twice: ${what}`);
    seen.add(what);
  };
  for (const line of text.slice(0, -1).split('\n')) {
    if (line === '') continue;
    const [, kind, about = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    const family = families.at(-1);
    if (kind === 'HELP') {
      claim(`family ${about}`);
      families.push({ name: about, help: rest, type: '', samples: [] });
    } else if (kind === 'TYPE') {
      if (family?.name !== about || family.type !== '') throw new Error(`TYPE without HELP: ${line}`);
      family.type = rest;
    } else {
      const [, name = '', labelText = '', number] = SAMPLE.exec(line) ?? [];
      const suffixes = SUFFIXES[family?.type ?? ''] ?? [];
      if (!family || !suffixes.some((suffix) => name === family.name + suffix))
        throw new Error(`not a sample of ${family?.name}: ${line}`);
      const labels = parseLabels(labelText);
      claim(`${name} ${JSON.stringify(Object.entries(labels).sort())}`);
      if (Number.isNaN(Number(number))) throw new Error(`not a number: ${line}`);
      family.samples.push({ name, labels, value: Number(number) });
    }
  }
  return families;
}
