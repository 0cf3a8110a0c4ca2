/** Lists the npm packages that the scripts of an entry import. */
import { isBuiltin } from 'node:module';
import { isObject, type JsonObject } from '../../../../base/object.ts';

const IMPORTS = [
  /(?:^|[;}\n])\s*(?:import|export)\b(?!\s+type\b)(?:[^'"`;()]*?\bfrom)?\s*(['"])([^'"\n]+)\1/g,
  /\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\1\s*\)/g,
];
const SCRIPTS = ['script', 'localSetupScript', 'localTearDownScript'];

/** Returns `@scope/name` and `name`, each once. */
export function listPackages(fields: JsonObject): readonly string[] {
  const files = Array.isArray(fields.dependencies) ? fields.dependencies.filter(isObject) : [];
  const texts = [...SCRIPTS.map((name) => fields[name]), ...files.map(({ content }) => content)];
  const specifiers = texts
    .filter((text) => typeof text === 'string')
    .flatMap((text) =>
      IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map(([, , name = '']) => name)),
    )
    .filter((name) => !/^[./]/.test(name) && !isBuiltin(name));
  return [
    ...new Set(
      specifiers.map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    ),
  ];
}
