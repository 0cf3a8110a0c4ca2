/** What the guide to uptime and API checks says is true. */
import { beforeEach, expect, test } from 'vitest';
import { testGuide } from './support/guide.ts';
import { needs } from './support/needs.ts';

beforeEach(needs('ping', 'iputils-ping'));
const shell = testGuide('docs/uptime-checks.md');

test('each of the checks has a result that tells what it found', async () => {
  const { run } = shell();
  const found = await run(`
for name in Home Port Machine Health; do
  id=$(sonde checks list --search "$name" --json --jq '.[0].id')
  sonde checks results "$id" --json --jq '.[0] | [.name, .hasFailures, .hasErrors, (.responseTime > 0)] | @csv'
done`);
  expect(found.stdout, found.stderr).toBe(
    ['Home', 'Port', 'Machine', 'Health'].map((name) => `"${name}",false,false,true\n`).join(''),
  );
});

test('the ping is a result of the heartbeat', async () => {
  const { run } = shell();
  const found = await run(`
id=$(sonde checks list --tag jobs --json --jq '.[0].id')
sonde checks results "$id" --json --jq '.[] | [.hasFailures, .hasErrors] | @csv'`);
  expect(found.stdout, found.stderr).toBe('false,false\n');
});
