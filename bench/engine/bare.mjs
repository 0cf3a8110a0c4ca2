/** A bare fastify that serves one constant: what reads are held against. Its address is the first line of its output. */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';

const constant = JSON.parse(readFileSync(0, 'utf8'));
const app = fastify();
app.get('/', async () => constant);
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
