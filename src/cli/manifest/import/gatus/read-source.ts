/** Reads the configuration of Gatus: a file, or a folder whose files are one configuration. */
import { UsageError } from '../../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../../base/object.ts';
import { markVariable } from '../conversion.ts';
import { mergeDeep, readYamlDocuments, type YamlSource } from '../read-yaml.ts';

/** Marks `$NAME` and `${NAME}`; `$$` is a literal dollar sign. */
const markVariables = (text: string): string =>
  text.replace(/\$\$|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g, (match, braced?: string, bare?: string) =>
    match === '$$' ? '$' : markVariable(braced ?? bare ?? ''),
  );

/** Throws UsageError if no file has an endpoint. */
export async function readGatus(deps: YamlSource, path: string): Promise<JsonObject> {
  const documents = await readYamlDocuments(deps, path, markVariables);
  const config = documents.reduce<unknown>(
    (merged, { value }) => (isObject(value) ? mergeDeep(merged, value) : merged),
    {},
  );
  const sections = ['endpoints', 'external-endpoints', 'services'];
  if (isObject(config) && sections.some((name) => Array.isArray(config[name]))) return config;
  throw new UsageError(`${path} is not a configuration of Gatus: it has no endpoints`);
}
