/** Requests to a service as a test writes them: a line, a body, and the answer with its body read. */

/** An answer with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends `METHOD /path` as the account of the key; `body` travels as JSON, and bytes as a file. */
export async function send(
  { url, apiKey }: { readonly url: string; readonly apiKey: string },
  line: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const type = Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json';
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined
      ? {}
      : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : isJson(response) ? (JSON.parse(text) as unknown) : text,
  };
}

/** Files come as they are; anything else is JSON, whatever it says of itself. */
function isJson({ headers }: Response): boolean {
  return !/^(?:image\/|application\/zip|text\/(?:plain|event-stream))/.test(
    headers.get('content-type') ?? '',
  );
}
