/** Runs the programs of the league. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/** Returns the output of a program, also of one that exits with another code than 0. */
export async function outputOf(file: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv) {
  const options = { cwd, env, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout, stderr } = await execute(file, args, options).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  return { stdout, stderr };
}
