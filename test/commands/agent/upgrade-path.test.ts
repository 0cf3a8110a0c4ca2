/** `sonde agent upgrade-path`: every runtime that there ever was leads to the built-in one. */
import { describe, expect, it } from 'vitest';
import { command } from '../../../commands/agent/upgrade-path.ts';
import { RUNTIME_IDS } from '../../../src/contract/enumerations.ts';
import { runLine } from '../../support/command.ts';

const steps = async (from: string) => {
  const { code, stdout, stderr } = await runLine(command, ['--from', from, '--json']);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { step: number; action: string; image: string | null; runtimes: string[] }[];
};

describe('agent upgrade-path', () => {
  it('goes straight from the built-in runtime', async () => {
    expect((await steps('2026-04')).map(({ image }) => image)).toEqual(['8']);
  });

  it.each(['2024-09', '2024.09', '2025-04'])('goes from %s through the migration image', async (from) => {
    const path = await steps(from);
    expect(path.map(({ image }) => image)).toEqual([
      '7.0.2-migrate-202409-202604',
      '7.0.2-migrate-202409-202604',
      '8',
    ]);
    expect(path[0]?.runtimes).toEqual(['2024-09', '2025-04', '2026-04']);
    expect(path.at(-1)?.runtimes).toEqual(['2026-04']);
  });

  it('knows every runtime, and names those that no image has any more', async () => {
    for (const id of RUNTIME_IDS) expect((await steps(id)).at(-1)?.image).toBe('8');
    expect((await steps('2023-02'))[0]?.action).toContain('no newer image has 2023-02');
  });

  it('names what there is where it is asked from nowhere', async () => {
    const none = await runLine(command, []);
    expect(none.code).toBe(2);
    const wrong = await runLine(command, ['--from', '2021-01']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('runtime "2021-01" not found');
    expect(wrong.stderr).toContain('2024-09');
  });

  it('is a table for people', async () => {
    const { stdout } = await runLine(command, ['--from', '2024-09', '--no-color'], {
      isTTY: true,
      columns: 80,
    });
    expect(stdout).toContain('Start agents with the image 7.0.2-migrate-202409-202604, which has');
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
