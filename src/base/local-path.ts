/** Defines the paths that a sign-in may redirect to: within the service, never to another site. */

/** Matches printable ASCII without backslashes. A second slash or a backslash would begin the name of another host. */
export const LOCAL_PATH_PATTERN = '^/(?![/\\\\])[\\x21-\\x5b\\x5d-\\x7e]*$';
export const MAX_LOCAL_PATH_LENGTH = 2048;

const LOCAL_PATH = new RegExp(LOCAL_PATH_PATTERN);

export const isLocalPath = (text: string): boolean =>
  text.length <= MAX_LOCAL_PATH_LENGTH && LOCAL_PATH.test(text);
