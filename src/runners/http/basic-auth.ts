/** Basic authentication: a name and a password as a header carries them. */

export function formatBasicAuth(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** What an address holds of it; undefined: nothing. */
export function getUrlBasicAuth({ username, password }: URL): string | undefined {
  return username === '' && password === ''
    ? undefined
    : formatBasicAuth(decodePercent(username), decodePercent(password));
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that begins no code stands for itself.
    return text;
  }
}
