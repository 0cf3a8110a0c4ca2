/** What a program in a cell finds in its environment: nothing of the service's own. */

/** The variable by which processes of a cell are told: it is passed on to whatever they start. */
export const MARK = 'SONDE_CELL';

export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function cellEnvironment(
  id: string,
  folder: string,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  return { PATH: SYSTEM_PATH, HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', ...given, [MARK]: id };
}
