/** The servers that a script opens: nobody knows who may still call, so that none keeps it from its end. */
import { Server, type Socket } from 'node:net';

const letGo = (socket: Socket): void => void socket.unref();

/** From now on a server does not hold its process, and neither does who is connected with it: only what it does for them. */
export function letServersGo(): void {
  const type = Server.prototype;
  const { listen } = type;
  type.listen = function (this: Server, ...given: unknown[]) {
    this.unref();
    if (!this.listeners('connection').includes(letGo)) this.prependListener('connection', letGo);
    return Reflect.apply(listen, this, given);
  } as typeof listen;
}
