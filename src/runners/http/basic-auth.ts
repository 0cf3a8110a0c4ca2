/** Formats basic authentication headers. */

export function formatBasicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Returns the authentication of a URL's user and password; undefined without them. */
export function getUrlBasicAuth({ username, password }: URL): string | undefined {
  return username === '' && password === ''
    ? undefined
    : formatBasicAuth(decodePercent(username), decodePercent(password));
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign without a valid code is literal.
    return text;
  }
}
