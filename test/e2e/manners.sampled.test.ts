/** Streams that are full, closed or left by their reader: each command ends quietly with the code that says what became of it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareEnv, shell, watchSonde } from '../support/binary.ts';
import { eventually } from '../support/eventually.ts';
import { answer, serveWith } from '../support/http.ts';
import { sampleOf } from '../support/sampled.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sonde-manners-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

/** Runs a line of shell that prints the exit code of `sonde` last. */
async function ending(line: string, env: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr } = await shell(line, { env: bareEnv(home, env) });
  return { code: Number(stdout.trim().split('\n').at(-1)), stderr };
}

const WRITERS: readonly (readonly [args: string, code: number])[] = [
  ['--version', 0],
  ['--help', 0],
  ['sessions --help', 0],
  ['sessions wait --help', 0],
  ['checks create-dns --example', 0],
  ['completion bash', 0],
  ['help', 0],
  ['sessions list --limit many', 2],
  ['nonsense', 2],
  ['sessions list --limit many --json', 2],
];

describe.each(sampleOf(WRITERS, 4))('sonde %s', (args, code) => {
  const writesResult = code === 0;

  it('says on a full device that its result could not be written', async () => {
    const { code: ended, stderr } = await ending(`sonde ${args} >/dev/full; echo $?`);
    expect(ended).toBe(writesResult ? 74 : code);
    if (writesResult) expect(stderr).toMatch(/^Error: could not write to stdout: .*no space (?:is )?left on/);
    expect(stderr).not.toMatch(/\n {4}at /);
  });

  it.each([
    ['its reader goes away', `sonde ${args} 2>/dev/null | true; echo "\${PIPESTATUS[0]}"`],
    ['stdout is closed', `sonde ${args} 2>/dev/null >&-; echo $?`],
    ['stderr is full', `sonde ${args} 2>/dev/full >/dev/null; echo $?`],
    ['stderr is closed', `sonde ${args} 2>&- >/dev/null; echo $?`],
    ['the reader of stderr goes away', `sonde ${args} 2> >(exec true) >/dev/null; echo $?`],
    ['stdin is closed', `sonde ${args} <&- >/dev/null 2>&1; echo $?`],
    ['every stream is closed', `sonde ${args} <&- >&- 2>&-; echo $?`],
  ])('ends by its own outcome where %s', async (_what, line) => {
    expect((await ending(line)).code).toBe(code);
  });

  it('says nothing of a reader that went away', async () => {
    const { stderr } = await ending(`sonde ${args} | true; echo "\${PIPESTATUS[0]}"`);
    expect(stderr === '').toBe(writesResult);
    expect(stderr).not.toMatch(/EPIPE|\n {4}at /);
  });
});

describe('a long result', () => {
  const entries = Array.from({ length: 20_000 }, (_, index) => ({
    id: index,
    name: `window ${index} ${'x'.repeat(200)}`,
  }));
  const serviceOf = async () => {
    const { url } = await serveWith((_request, response) => answer(response, { body: entries }));
    return { SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-test' };
  };

  it.each(['maintenance list', 'maintenance list --json', 'maintenance list -o yaml', 'api get /v1/x'])(
    'of %s is read as far as its reader likes',
    async (args) => {
      const { code, stderr } = await ending(
        `sonde ${args} --quiet | head -n 1 >/dev/null; echo "\${PIPESTATUS[0]}"`,
        await serviceOf(),
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  it('is given whole to a slow reader', async () => {
    const line = 'sonde maintenance list | (read -r first; sleep 0.3; wc -l)';
    expect((await ending(line, await serviceOf())).code).toBe(entries.length - 1);
  });
});

describe.runIf(process.platform === 'linux')('a jq expression that never ends', () => {
  /** Whether the process listens to SIGINT itself. */
  const catches = async (pid: number): Promise<boolean> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return (BigInt(`0x${/^SigCgt:\t(\w+)$/m.exec(status)?.[1]}`) & 2n) !== 0n;
  };

  it.each(['SIGINT', 'SIGTERM'] as const)('is ended by %s', async (signal) => {
    const held: ServerResponse[] = [];
    const { url } = await serveWith((_, response) => void held.push(response));
    const env = bareEnv(home, { SONDE_BASE_URL: url, SONDE_API_KEY: 'key-of-the-test' });
    const running = watchSonde(['snippets', 'list', '--jq', 'last(repeat(1))'], { env });
    await eventually(() => expect(held).toHaveLength(1));
    expect(await catches(running.pid)).toBe(true);
    for (const response of held) answer(response, { body: [] });
    await eventually(async () => expect(await catches(running.pid)).toBe(false));
    running.child.kill(signal);
    // A shell makes 130 and 143 of that.
    expect(await running.ended).toMatchObject({ code: null, stdout: '' });
    expect(running.child.signalCode).toBe(signal);
  });
});
