/** Reads the cases: monitoring files in which the name of each check begins with its right verdict. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = join(import.meta.dirname, 'running');
const VERDICTS = { PASS: 'PASSED', FAIL: 'FAILED', DEGRADED: 'DEGRADED' } as const;

/** The highest limits in ms, so that a slow machine degrades nothing. */
const LIMITS_MS: Readonly<Record<string, number>> = {
  API: 8000,
  URL: 8000,
  DNS: 5000,
  TCP: 5000,
  ICMP: 5000,
  SSL: 20_000,
};

export type Verdict = (typeof VERDICTS)[keyof typeof VERDICTS];
export type Case = Readonly<Record<string, unknown>> & { readonly name: string; readonly checkType: string };

/** The names of the files, without their extension. */
async function caseFiles(): Promise<readonly string[]> {
  const names = await readdir(FOLDER);
  return names.filter((name) => name.endsWith('.yaml')).map((name) => basename(name, '.yaml'));
}

/** Returns the right verdict of a check. Throws if its name says none. */
export function verdictOf(name: string): Verdict {
  const word = name.split(' ', 1)[0] ?? '';
  if (word in VERDICTS) return VERDICTS[word as keyof typeof VERDICTS];
  throw new Error(`The name of a case begins with PASS, FAIL or DEGRADED, and not "${name}"`);
}

/** Writes the scripts of the cases into a folder, with the ports of the servers. Returns the checks of each file. */
export async function writeCases(
  folder: string,
  ports: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, readonly Case[]>> {
  const read = async (file: string): Promise<string> =>
    (await readFile(join(FOLDER, file), 'utf8')).replace(
      /"\$\{port\.([\w.]+)\}"|\$\{port\.([\w.]+)\}/g,
      (_, quoted, bare) => {
        const port = ports.get(quoted ?? bare);
        if (port === undefined) throw new Error(`${file}: no server has the name "${quoted ?? bare}"`);
        return String(port);
      },
    );
  await mkdir(join(folder, 'scripts'));
  for (const script of await readdir(join(FOLDER, 'scripts')))
    await writeFile(join(folder, 'scripts', script), await read(`scripts/${script}`));
  const cases = new Map<string, readonly Case[]>();
  for (const name of await caseFiles()) {
    const { checks } = parse(await read(`${name}.yaml`)) as { readonly checks: readonly Case[] };
    const inFile = (check: Case): Case => ({ ...check, name: `${check.name} (${name})` });
    cases.set(name, checks.map(withDefaults).map(inFile));
  }
  return cases;
}

/** Adds what the cases leave out: only the verdict of the first attempt counts. */
function withDefaults(given: Case): Case {
  const limit = LIMITS_MS[given.checkType];
  return {
    ...{ retryStrategy: null, doubleCheck: false },
    ...(limit !== undefined && { maxResponseTime: limit, degradedResponseTime: limit }),
    ...given,
  };
}
