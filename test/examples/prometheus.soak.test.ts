/** The examples for Prometheus and Grafana pass promtool: the rules, their unit tests, and the queries of the panels. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../support/folder.ts';
import { needs } from '../support/needs.ts';
import { ALERTS, panelQueries } from './prometheus-queries.ts';

beforeEach(needs('promtool', 'prometheus'));

function promtool(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

it('has valid rules, each of which fires in a test and does not fire without a reason', () => {
  expect(promtool('check', 'rules', ALERTS)).toContain('14 rules found');
  expect(promtool('test', 'rules', 'test/examples/prometheus-alerts.test.yml')).toContain('SUCCESS');
});

it('has panels with valid queries', async () => {
  const rules = panelQueries().map((expr, index) => ({ record: `panel:query:${index}`, expr }));
  const file = join(await temporaryFolder(), 'panels.yml');
  writeFileSync(file, stringify({ groups: [{ name: 'panels', rules }] }));
  expect(promtool('check', 'rules', file)).toContain(`${rules.length} rules found`);
});
