/** Reads a Dockerfile into stages of instructions, as far as the examples use the language. */

export interface Instruction {
  /** `RUN`, `COPY` … in capitals. */
  readonly name: string;
  readonly text: string;
  readonly line: number;
}

export interface Stage {
  readonly name: string;
  readonly from: string;
  readonly instructions: readonly Instruction[];
}

const KNOWN = [
  'ARG',
  'ENV',
  'RUN',
  'VOLUME',
  'ENTRYPOINT',
  'CMD',
  'USER',
  'EXPOSE',
  'HEALTHCHECK',
  'WORKDIR',
];

/** @throws Error for an instruction that the test would not carry out. */
export function readDockerfile(text: string): {
  readonly args: Record<string, string>;
  readonly stages: Stage[];
} {
  const args: Record<string, string> = {};
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = at + 1;
    let whole = lines[at] ?? '';
    if (whole.trim() === '' || whole.startsWith('#')) continue;
    while (whole.endsWith('\\')) whole = `${whole.slice(0, -1).trimEnd()} ${(lines[++at] ?? '').trim()}`;
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(whole.trim()) ?? [];
    const stage = stages.at(-1);
    if (name === 'FROM') {
      const [, from = '', as = ''] = /^(\S+) AS (\S+)$/.exec(rest) ?? [];
      stages.push({ name: as, from, instructions: [] });
    } else if (!KNOWN.includes(name)) throw new Error(`line ${line}: ${name} is not known here`);
    else if (stage) stage.instructions.push({ name, text: rest, line });
    else if (name === 'ARG') {
      const [key = '', value = ''] = rest.split('=');
      args[key] = value;
    }
  }
  return { args, stages };
}

/** The instructions of a stage with those of all that it is built on, in their order, and the image at the bottom. */
export function linesOf(
  stages: readonly Stage[],
  name: string,
): { readonly base: string; readonly all: Instruction[] } {
  const stage = stages.find((one) => one.name === name);
  if (stage === undefined) return { base: name, all: [] };
  const below = linesOf(stages, stage.from);
  return { base: below.base, all: [...below.all, ...stage.instructions] };
}
