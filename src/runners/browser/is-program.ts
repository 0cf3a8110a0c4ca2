/** Checks whether a path is a program that this user may start. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';

export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function findProgram(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isProgram(path)) return path;
  return undefined;
}
