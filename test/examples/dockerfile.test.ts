/** The Dockerfile of the examples, as a linter and a careful reader judge it. `images.soak.test.ts` builds and runs it. */
import { readFileSync } from 'node:fs';
import { DockerfileParser, type From } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MIN_PLAYWRIGHT } from '../../src/runners/browser/runtimes.ts';

const text = readFileSync('examples/Dockerfile', 'utf8');
const parsed = DockerfileParser.parse(text);

interface Instruction {
  readonly keyword: string;
  readonly content: string;
}

interface Stage {
  readonly name: string;
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

const stages: readonly Stage[] = parsed.getFROMs().map((from, at, all) => {
  const isOfStage = (line: number) =>
    line > from.getRange().start.line && line < (all[at + 1]?.getRange().start.line ?? Infinity);
  const own = parsed.getInstructions().filter((one) => isOfStage(one.getRange().start.line));
  return {
    ...{ name: from.getBuildStage() ?? '', base: from.getImage() ?? '' },
    instructions: own.map((one) => ({
      keyword: one.getKeyword(),
      content: one.getArgumentsContent() ?? '',
    })),
  };
});

/** Returns the instructions of a stage with those of the stages below it, in their order. */
function instructionsOf(name: string): readonly Instruction[] {
  const stage = stages.find((one) => one.name === name);
  return stage ? [...instructionsOf(stage.base), ...stage.instructions] : [];
}

/** Returns the last instruction of a kind that a target has: the one that counts. */
const lastOf = (target: string, keyword: string): string | undefined =>
  instructionsOf(target).findLast((one) => one.keyword === keyword)?.content;

/** The images that somebody runs, and the user of each. */
const TARGETS = [
  ['uptime', '10001'],
  ['agent', undefined],
  ['dev', undefined],
  ['migrate', undefined],
  ['service-browser', undefined],
  ['service', '10001'],
] as const;

describe('the Dockerfile', () => {
  it('has nothing that the linter complains about', () => {
    expect(validate(text).map(({ range, message }) => `line ${range.start.line + 1}: ${message}`)).toEqual(
      [],
    );
  });

  it('names the release of every image that it does not build itself', () => {
    const names = stages.map(({ name }) => name);
    const isForeign = (from: From) => !names.includes(from.getImage() ?? '');
    for (const from of parsed.getFROMs().filter(isForeign))
      expect(from.getImage()).toMatch(/^node:\$\{NODE\}-\$\{DEBIAN\}-slim$/);
    const defaults = parsed.getARGs().map((one) => one.getArgumentsContent());
    expect(defaults).toEqual(['NODE=24', 'DEBIAN=trixie', `PLAYWRIGHT=${MIN_PLAYWRIGHT}`]);
  });

  it('installs what the clone packs, and no package that only has its name', () => {
    const npm = stages.flatMap(({ instructions }) =>
      instructions.flatMap(({ content }) => content.match(/npm \w+[^&|;]*/g) ?? []),
    );
    expect(npm.map((line) => line.trim().split(/\s+/).at(-1))).toEqual([
      ...['--no-fund', '/', '/sonde-*.tgz'],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the Dockerfile.
      '"@playwright/test@${PLAYWRIGHT}"',
    ]);
    expect(npm[0]).toMatch(/^npm ci /);
  });

  it('leaves no package lists and no recommended packages in its images', () => {
    const apt = stages
      .flatMap(({ instructions }) => instructions)
      .filter(({ content }) => content.includes('apt-get install'));
    expect(apt.length).toBeGreaterThan(1);
    for (const { content } of apt) {
      expect(content).toMatch(/^apt-get update\s/);
      expect(content).toContain('--no-install-recommends');
      expect(content).toContain('rm -rf /var/lib/apt/lists/*');
    }
  });

  it.each(TARGETS)('%s has an init process, a health check and the user %s', (target, user) => {
    expect(lastOf(target, 'ENTRYPOINT')).toBe('["tini", "--", "sonde"]');
    expect(lastOf(target, 'CMD')).toMatch(/^\["(agent|service)", "start"/);
    const probe = lastOf(target, 'CMD')?.includes('"agent"') ? '"agent", "probe"' : 'sonde service status';
    expect(lastOf(target, 'HEALTHCHECK')).toContain(probe);
    expect(lastOf(target, 'USER')).toBe(user);
  });

  it('lists every target that it has at its top', () => {
    const runnable = stages.filter(({ name }) => lastOf(name, 'CMD')).map(({ name }) => name);
    expect(runnable.toSorted()).toEqual(TARGETS.map(([name]) => name).toSorted());
    for (const name of runnable) expect(text).toMatch(new RegExp(`^# {3}${name} `, 'm'));
  });

  it('sends no folder to the builder that a clone makes again', () => {
    const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', 'node_modules', 'dist', '**/generated']));
    const { files } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(files.filter((name: string) => name !== 'dist' && ignored.includes(name))).toEqual([]);
  });
});

describe('the Deployment', () => {
  it('runs the image of a target, as its user and with its arguments', () => {
    const { spec } = parse(readFileSync('examples/kubernetes-agent.yaml', 'utf8')).spec.template;
    const [container] = spec.containers;
    const target = String(container.image).replace('sonde-', '');
    expect(lastOf(target, 'USER')).toBe(String(container.securityContext.runAsUser));
    expect(text).toContain(`useradd --uid ${container.securityContext.runAsUser} `);
    expect(container.args.slice(0, 3)).toEqual(JSON.parse(lastOf(target, 'CMD') ?? ''));
    expect(spec.securityContext.fsGroup).toBe(container.securityContext.runAsUser);
  });
});
