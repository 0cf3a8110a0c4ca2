/** A web site for browser checks. */
import { createServer } from 'node:http';
import { freePort } from '../../support/free-port.ts';
import { type Endpoint, listen } from './listen.ts';

const HOME = '<!doctype html><title>Home</title><h1>Shop</h1>';

export const startSite = async (): Promise<Endpoint> =>
  listen(
    createServer(({ url }, response) => {
      response.writeHead(url === '/' ? 200 : 404, { 'Content-Type': 'text/html' });
      response.end(url === '/' ? HOME : 'not found');
    }),
    await freePort(),
  );
