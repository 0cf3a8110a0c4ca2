/** What the guide to maintenance windows says is true. */
import { expect, test } from 'vitest';
import { testGuide } from './support/guide.ts';

const shell = testGuide('docs/maintenance.md');

test('what was started by hand and ended is told', async () => {
  const { stdout } = await shell().run("sonde maintenance list --json --jq '.[] | .name'");
  expect(stdout.trim().split('\n').sort()).toEqual(['Database upgrade', 'New disk']);
});
