/** A resource from its first day to its last, by its commands and a real service. */
import { expect } from 'vitest';
import { isObject } from '../../../src/base/object.ts';
import type { Command } from '../../../src/cli/framework/types.ts';
import { type LineOutcome, runLine } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { TestService } from '../../support/service.ts';

export const envOf = ({ url, apiKey }: TestService) => ({ SONDE_BASE_URL: url, SONDE_API_KEY: apiKey });

/** Runs a line that must end well. */
export async function well(
  command: Command,
  argv: readonly string[],
  options: Parameters<typeof runLine>[2] = {},
): Promise<LineOutcome> {
  const outcome = await runLine(command, argv, options);
  expect(outcome.code, `${command.name} ${argv.join(' ')}: ${outcome.stderr}`).toBe(0);
  return outcome;
}

/** The verbs of a resource. */
export interface Verbs {
  readonly create: Command;
  readonly list: Command;
  readonly get: Command;
  readonly update: Command;
  readonly remove: Command;
  /** The other name of `remove`. */
  readonly removeToo: Command;
}

export interface Journey extends Verbs {
  /** What makes one. */
  readonly made: readonly string[];
  /** What changes it. */
  readonly change: readonly string[];
  /** The fields that are then so, all others as before. */
  readonly changed: Readonly<Record<string, unknown>>;
  /** What of it nothing takes away again. */
  readonly stays?: Readonly<Record<string, unknown>>;
  /** The key of its id. */
  readonly id?: string;
}

type Shown = Readonly<Record<string, unknown>>;

/** Changes it, and takes the way back that the command tells. */
async function goThereAndBack(
  { get, update, change, stays = {} }: Journey,
  id: string,
  options: NonNullable<Parameters<typeof runLine>[2]>,
  stood: Shown,
): Promise<void> {
  const { stderr } = await well(update, [id, ...change, '--yes'], options);
  const [, words = ''] = stderr.match(/^ {2}sonde \S+ update (.+)$/m) ?? [];
  for (const field of Object.keys(stays)) expect(stderr).toContain(`what was added: ${field}.`);
  expect(stderr.includes('no way to take away')).toBe(Object.keys(stays).length > 0);
  await well(update, [...words.split(' '), '--yes'], options);
  const { updated_at: _, ...stands } = JSON.parse((await well(get, [id, '--json'], options)).stdout);
  expect(withoutNothing(stands)).toEqual(withoutNothing({ ...stood, ...stays }));
}

/** Without what says as much as if it were not there. */
function withoutNothing(value: unknown): unknown {
  if (!isObject(value)) return value;
  const said = Object.entries(value).filter(
    ([, each]) => each !== null && each !== false && !(Array.isArray(each) && each.length === 0),
  );
  return Object.fromEntries(said.map(([name, each]) => [name, withoutNothing(each)]));
}

/** Makes two, changes one of them in a part, and deletes both, each by another name of the command. */
export async function travel(service: TestService, journey: Journey): Promise<void> {
  const { create, list, get, update, remove, removeToo, made, change, changed, id: key = 'id' } = journey;
  const env = envOf(service);
  const json = async (command: Command, argv: readonly string[]): Promise<Shown> =>
    JSON.parse((await well(command, [...argv, '--json'], { env })).stdout);

  const created = await json(create, made);
  const id = String(created[key]);
  const rows = (await json(list, [])) as unknown as readonly Shown[];
  expect(rows.map((row) => String(row[key]))).toContain(id);
  const before = await json(get, [id]);
  // A key is shown when it is made, and never again.
  expect(created).toMatchObject(before);

  const { updated_at: _before, ...stood } = before;
  await goThereAndBack(journey, id, { env, home: await temporaryFolder() }, stood);
  const answered = await json(update, [id, ...change]);
  const { updated_at: _after, ...stands } = await json(get, [id]);
  expect(stands).toEqual({ ...stood, ...changed });
  expect(answered).toMatchObject(changed);
  const again = await well(update, [id, ...change], { env });
  expect(again.stderr).toMatch(/No (?:visible )?changes\./);

  // What get printed is a file that update takes, and changes nothing.
  const printed = await well(get, [id, '-o', 'yaml'], { env });
  const back = await well(update, [id, '-f', '-'], { env, input: printed.stdout });
  expect(back.stderr).toMatch(/No (?:visible )?changes\./);

  expect(await runLine(update, [id], { env })).toMatchObject({ code: 2 });
  expect(await runLine(remove, [id], { env })).toMatchObject({ code: 2 });
  expect((await well(remove, [id, '--dry-run'], { env })).stdout).toContain('DELETE');
  await well(remove, [id, '--yes'], { env });
  expect(await runLine(get, [id], { env })).toMatchObject({ code: 5 });
  expect(await runLine(removeToo, [id, '--yes'], { env })).toMatchObject({ code: 5 });
  await well(removeToo, [id, '--yes', '--ignore-missing'], { env });
}
