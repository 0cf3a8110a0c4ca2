/** Files of services with resources of every kind: the schema, the loader and the validation accept them alike. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command as exportCommand } from '../../../../commands/export.ts';
import { isObject, type JsonObject } from '../../../../src/base/object.ts';
import { restoreFiles } from '../../../../src/cli/manifest/files/file-tree.ts';
import { loadManifest } from '../../../../src/cli/manifest/files/load-manifest.ts';
import { escapeVariables, isCode } from '../../../../src/cli/manifest/files/variables.ts';
import { SECTIONS } from '../../../../src/cli/manifest/kinds.ts';
import type { Path } from '../../../../src/cli/manifest/manifest.ts';
import { createPlan } from '../../../../src/cli/manifest/plan/create-plan.ts';
import type { RemoteState } from '../../../../src/cli/manifest/remote-state.ts';
import { createMonitoringSchema } from '../../../../src/cli/manifest/schema/monitoring-schema.ts';
import { drawn, makeAll } from '../../../commands/whole-account.ts';
import { runs } from '../../../support/sampled.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { envOf, well } from '../../resources/journey.ts';

const validate = new Ajv({ strict: false }).compile(createMonitoringSchema());
const EMPTY = Object.fromEntries(SECTIONS.map((section) => [section, []])) as unknown as RemoteState;
let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Maps the texts, numbers and switches of entries that are no code. */
function mapValues(
  value: unknown,
  map: (one: string | number | boolean, path: Path) => unknown,
  path: Path = [],
): unknown {
  if (Array.isArray(value)) return value.map((item, index) => mapValues(item, map, [...path, index]));
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, mapValues(item, map, [...path, name])]),
    );
  // The path in the entry: without its section and index.
  return value === null || value === undefined || isCode(path.slice(2))
    ? value
    : map(value as string | number | boolean, path);
}

/** Gives each entry a key, because checks of several types may have one name. */
const withKeys = (file: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(file).map(([section, list]) => [
      section,
      section === 'variables'
        ? list
        : (list as JsonObject[]).map((entry, index) => ({ key: `k${index}`, ...entry })),
    ]),
  );

const bodiesOf = async (file: unknown, env: Record<string, string> = {}) => {
  const tree = restoreFiles({ texts: { 'a.json': JSON.stringify(file) }, suites: {} });
  const { manifest } = await loadManifest(['a.json'], { tree, env, allowEnv: ['V*'] });
  return { manifest, bodies: manifest.entries.map(({ body }) => body) };
};

it('are accepted, also if every value is a variable', async () => {
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(drawn(true), async (whole) => {
      const account = { ...service, ...(await service.newAccount()) };
      await makeAll(account, whole, String(turn++));
      const { stdout } = await well(exportCommand, [], { env: envOf(account) });
      const toPlain = (one: unknown) => (typeof one === 'string' ? one.replaceAll('$${', '${') : one);
      const exported = mapValues(parse(stdout), toPlain) as Readonly<Record<string, readonly JsonObject[]>>;
      // A file without a key is not a monitoring file.
      fc.pre(Object.keys(exported).length > 0);
      const keyed = withKeys(exported);
      const file = mapValues(keyed, (one) => (typeof one === 'string' ? escapeVariables(one) : one));
      expect(validate(file), JSON.stringify(validate.errors)).toBe(true);
      const { manifest, bodies } = await bodiesOf(file);
      // An empty deployment has no value for the mask of a credential.
      const { problems } = createPlan(manifest, EMPTY, [], { now: 0 });
      expect(problems.filter(({ message }) => !message.includes("another deployment's value"))).toEqual([]);
      const expected = Object.entries(exported).flatMap(([section, list]) =>
        list.map(({ key, ...rest }) => (section === 'variables' ? { key, ...rest } : rest)),
      );
      expect(bodies).toEqual(expected);

      const env: Record<string, string> = {};
      const withVariables = mapValues(keyed, (one, path) => {
        if (path.at(-1) === 'checkType') return one;
        const name = `V${Object.keys(env).length}`;
        env[name] = String(one);
        return `\${${name}}`;
      });
      expect(validate(withVariables), JSON.stringify(validate.errors)).toBe(true);
      expect((await bodiesOf(withVariables, env)).bodies).toEqual(bodies);
    }),
    { numRuns: runs(4, 15) },
  );
});
