/** Lists the files that Node or TypeScript may load for a path in an import. Pure. */
import { posix } from 'node:path';

const ENDINGS = ['', '.ts', '.tsx', '.js', '.jsx', '.mts', '.mjs', '.cts', '.cjs', '.json'];
/** The file that TypeScript means with the name of its output. */
const SOURCE_ENDINGS: Readonly<Record<string, string>> = {
  '.js': '.ts',
  '.mjs': '.mts',
  '.cjs': '.cts',
  '.jsx': '.tsx',
};

/** Returns the candidates in order of preference. */
export function listModulePaths(path: string): readonly string[] {
  const ending = posix.extname(path);
  const source = SOURCE_ENDINGS[ending];
  return [
    ...ENDINGS.map((one) => path + one),
    ...(source === undefined ? [] : [path.slice(0, -ending.length) + source]),
    ...ENDINGS.slice(1).map((one) => posix.join(path, `index${one}`)),
  ];
}
