/** Removes frames of sonde's own bundles from stack traces: they are minified, and say nothing to a user. */

/** A frame of V8, with its file. */
const FRAME = /^\s*at .*?(?:file:\/\/)?((?:\/|[A-Za-z]:[\\/])[^()]*):\d+:\d+\)?$/;

const fileOf = (line: string): string | undefined => line.match(FRAME)?.[1];

/** Returns the folder of all bundles: this module is in one of them, possibly in a folder below. */
function findOwnFolder(): string | undefined {
  const { stack = '' } = new Error('where is this module?');
  const file = stack
    .split('\n')
    .map(fileOf)
    .find((path) => path !== undefined);
  return file?.replace(/[\\/][^\\/]*$/, '').replace(/[\\/](?:lazy|commands)$/, '');
}

const OWN_FOLDER = findOwnFolder();

/** Returns the text without frames of files in `folder`. Lines of the message stay. */
export function withoutOwnFrames(text: string, folder = OWN_FOLDER): string {
  if (folder === undefined) return text;
  const isOwn = (path: string | undefined) =>
    path !== undefined && (path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`));
  return text
    .split('\n')
    .filter((line) => !isOwn(fileOf(line)))
    .join('\n');
}
