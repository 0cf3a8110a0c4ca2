/** A runtime whose checks send no Authorization header, and a server that shows which headers arrived. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folder.ts';
import { type SeenRequest, serveWith } from '../../support/http.ts';

const root = join(import.meta.dirname, '../../..');

/** Answers each request with what it was, as JSON. */
export const echo = () =>
  serveWith(({ method, url, headers, body }, response) => {
    if (url === '/user' && headers.authorization === undefined)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="r"' }).end('who are you?');
    if (url === '/leads')
      return response.writeHead(302, { location: `http://kim:pw@${headers.host}/user` }).end();
    const status = url === '/missing' ? 404 : 200;
    return response.writeHead(status).end(JSON.stringify({ method, url, body, headers }));
  });

/** A folder of runtimes in which 2025.04 is the Playwright of this project. */
export async function olderRuntime(): Promise<string> {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, '2025.04'));
  symlinkSync(join(root, 'node_modules'), join(folder, '2025.04/node_modules'));
  return folder;
}

export const authorizations = (requests: readonly SeenRequest[]) =>
  requests.map(({ url, headers }) => [url, headers.authorization]);
