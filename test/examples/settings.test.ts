/** The examples that start the service or an agent name only flags and variables that exist. */
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { VARIABLES } from '../../src/cli/help/lazy/topic-environment.ts';
import { settingRows } from '../../src/cli/settings/setting.ts';
import { SETTING_TABLES } from '../../src/cli/settings/tables.ts';

const FILES = ['sonde.service', 'sonde-agent.service', 'kubernetes-agent.yaml', 'Dockerfile'];
/** A line that starts a process: `sonde agent start --uptime`, or a list of words in JSON. */
const START = /\b(agent|service)\W+start\b(.*)$/gm;
/** `Environment=NAME=value` of systemd, `- name: NAME` of Kubernetes, and `ENV NAME=value` of Docker. */
const SET = /^Environment=(\w+)=|^ +- name: ([A-Z_]+)$|(?<=^ENV .*)\b([A-Z_]+)=/gm;
const SYSTEM = ['HOME', 'PATH', 'NODE_ENV'];

it.each(FILES)('%s starts with flags and variables that exist', async (name) => {
  const text = await readFile(`examples/${name}`, 'utf8');
  const starts = [...text.matchAll(START)].map(([, noun, words = '']) => ({
    command: `${noun} start`,
    flags: words.match(/--[a-z-]+/g) ?? [],
  }));
  expect(starts.length).toBeGreaterThan(0);
  for (const { command, flags } of starts) {
    const rows = SETTING_TABLES.filter((table) => table.command === command).flatMap(settingRows);
    const known = rows.map(({ flag }) => flag);
    expect(flags.filter((flag) => !known.includes(flag))).toEqual([]);
  }
  const known = Object.values(VARIABLES).flatMap((rows) => rows.flatMap(([names]) => names.split(', ')));
  const set = [...text.matchAll(SET)].map(([, ...names]) => names.find((each) => each !== undefined));
  expect(set.length).toBeGreaterThan(0);
  expect(set.filter((each = '') => ![...known, ...SYSTEM].includes(each))).toEqual([]);
});
