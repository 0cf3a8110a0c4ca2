/** Lists the npm packages that the scripts of an entry import and scripts of sonde do not have. */
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { listMissingPackages } from '../../../../contract/script-packages.ts';

const SCRIPTS = ['script', 'localSetupScript', 'localTearDownScript'];

/** Returns `@scope/name` and `name`, each once. */
export function listPackages(fields: JsonObject): readonly string[] {
  const files = Array.isArray(fields.dependencies) ? fields.dependencies.filter(isObject) : [];
  const texts = [...SCRIPTS.map((name) => fields[name]), ...files.map(({ content }) => content)];
  return listMissingPackages(...texts.filter((text) => typeof text === 'string'));
}
