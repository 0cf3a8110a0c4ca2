/** Every switch of every command takes =true and =false, as those of gh and kubectl do. */
import { describe, expect, it } from 'vitest';
import { commandFiles, loadCommands } from '../../../scripts/manifest.mjs';
import { commandSpecOf } from '../../../src/cli/framework/command-spec.ts';
import { declareProgram, tokenizeArgv } from '../../../src/cli/framework/program.ts';
import { camelCase } from '../../../src/cli/framework/request-fields.ts';
import type { Command } from '../../../src/cli/framework/types.ts';

const { commands } = await loadCommands(await commandFiles());

describe('a switch', () => {
  it('takes true and false, of every command', () => {
    let count = 0;
    for (const command of commands as readonly Command[]) {
      const spec = commandSpecOf(command);
      const program = declareProgram(command, spec);
      for (const { flag, option } of spec.flags) {
        if (option.takes !== 'nothing') continue;
        const name = option.negative === 'only' ? `no-${flag}` : flag;
        const read = (...words: string[]) => {
          const { texts, problems } = tokenizeArgv(program, words);
          expect(problems, `${command.name} ${words.join(' ')}`).toEqual([]);
          return [...texts].map(([key, values]) => `${key}=${values.join()}`).join(' ');
        };
        const isOn = option.negative !== 'only';
        const key = camelCase(flag);
        for (const value of ['true', 'TRUE', '1', 't'])
          expect(read(`--${name}=${value}`), command.name).toBe(`${key}=${isOn}`);
        for (const value of ['false', 'False', '0', 'f'])
          expect(read(`--${name}=${value}`), command.name).toBe(`${key}=${!isOn}`);
        expect(read(`--${name}`, `--${name}=false`), command.name).toBe(`${key}=${!isOn}`);
        expect(read(`--${name}=false`, `--${name}`), command.name).toBe(`${key}=${isOn}`);
        const wrong = tokenizeArgv(program, [`--${name}=maybe`]).problems;
        expect(wrong, command.name).toEqual([
          { place: `--${name}`, message: 'must be true or false, not "maybe"' },
        ]);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(500);
  });

  it('that is the value of another flag stays its value', () => {
    const command = (commands as readonly Command[]).find(({ name }) => name === 'checks create-url');
    if (!command) throw new Error('no such command');
    const { texts } = tokenizeArgv(declareProgram(command, commandSpecOf(command)), [
      '--name',
      '--muted=false',
    ]);
    expect(Object.fromEntries(texts)).toEqual({ name: ['--muted=false'] });
  });
});
