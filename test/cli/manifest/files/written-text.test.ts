/** Unquoted texts that YAML reads as numbers or switches, merge keys, and `x-` sections. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateAlone } from '../../../../src/cli/manifest/files/validate-entry.ts';
import { load, problemsOf } from './project-files.ts';

const check = (description: string) => ({
  'monitoring/a.yaml': `checks:\n  - { name: A, checkType: URL, request: { url: https://a.test }, description: ${description} }\n`,
});

const digits = fc.stringMatching(/^[0-9]{1,12}$/);
/** Numbers and switches, as people write them. */
const unquoted = fc.oneof(
  digits,
  digits.map((text) => `0${text}`),
  digits.map((text) => `-${text}.0`),
  fc.tuple(digits, fc.constantFrom('e3', 'E+2', '.50', '.')).map(([text, end]) => text + end),
  fc.stringMatching(/^0x[0-9a-fA-F]{1,8}$/),
  fc.constantFrom('true', 'False', 'TRUE', '.inf', '-.Inf', '.NaN', '0o17'),
);

it('the hint about missing quotes repeats the text, which passes in these quotes', async () => {
  await fc.assert(
    fc.asyncProperty(unquoted, async (text) => {
      const [entry] = (await load(check(text))).manifest.entries;
      const [problem] = entry === undefined ? [] : validateAlone(entry, 0);
      expect(problem?.message).toMatch(/^description must be a string or null; write ".*" in quotes$/);
      const quoted = /write (".*") in quotes/.exec(problem?.message ?? '')?.[1] ?? '';
      const { manifest } = await load(check(quoted));
      expect(manifest.entries[0]?.body.description).toBe(text);
    }),
    { numRuns: 60 },
  );
});

describe('a merge key', () => {
  it('shares fields, of which those before it and those of the entry win', async () => {
    const { manifest } = await load({
      'monitoring/a.yaml': `x-base: &base
  checkType: URL
  frequency: 5
  request: { url: https://a.test }
x-slow: &slow { frequency: 60, muted: true }
checks:
  - { <<: *base, name: A }
  - { <<: [*base, *slow], name: B }
  - { <<: *base, name: C, frequency: 10 }
  - <<: { checkType: TCP, request: { hostname: a.test, port: 1 } }
    name: D
`,
    });
    expect(
      manifest.entries.map(({ name, body }) => [name, body.checkType, body.frequency, body.muted]),
    ).toEqual([
      ['A', 'URL', 5, undefined],
      ['B', 'URL', 5, true],
      ['C', 'URL', 10, undefined],
      ['D', 'TCP', undefined, undefined],
    ]);
  });

  it('may not name a list or a text', async () => {
    const problems = await problemsOf({
      'monitoring/a.yaml': 'x-base: &base [1]\nchecks:\n  - { <<: *base, name: A }\n',
    });
    expect(problems).toEqual([expect.stringMatching(/YAML: Merge sources must be maps/)]);
  });
});

it('sections that begin with x- are not read, and others are named', async () => {
  expect(await problemsOf({ 'monitoring/a.yaml': 'project: p\nx-notes: [1]\ny-notes: 1\n' })).toEqual([
    expect.stringContaining('unknown section "y-notes"'),
  ]);
});
