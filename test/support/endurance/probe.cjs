/**
 * Required by a service that endures: tells its parent, where that asks, how much it holds after a collection of garbage.
 * Entries of maps and sets, items of lists and objects are counted one by one: what is kept for each session is seen at once.
 */
const { Session } = require('node:inspector');

const session = new Session();
session.connect();

/** A call of the inspector of this very thread: it answers before it returns. */
function ask(method, params) {
  let answer;
  session.post(method, { ...params, objectGroup: 'probe' }, (error, found) => {
    if (error) throw new Error(`${method}: ${error.message}`);
    answer = found;
  });
  return answer;
}

/** Runs within the process over the list of all objects; who stands in for a prototype has no size. */
function count() {
  const found = { entries: 0, items: 0, objects: this.length };
  for (const one of this) {
    if (one === this) continue;
    try {
      if (one instanceof Map || one instanceof Set) found.entries += one.size;
      else if (Array.isArray(one)) found.items += one.length;
    } catch {
      // A prototype, or what objects to being looked at.
    }
  }
  return found;
}

function counts() {
  const { result } = ask('Runtime.evaluate', { expression: 'Object.prototype' });
  // It collects garbage first.
  const { objects } = ask('Runtime.queryObjects', { prototypeObjectId: result.objectId });
  const call = { objectId: objects.objectId, functionDeclaration: String(count), returnByValue: true };
  return ask('Runtime.callFunctionOn', call).result.value;
}

process.on('message', (message) => {
  if (message !== 'probe') return;
  try {
    const found = counts();
    ask('Runtime.releaseObjectGroup', {});
    ask('HeapProfiler.collectGarbage', {});
    const resources = process.getActiveResourcesInfo().length;
    process.send({ ...found, resources, heap: process.memoryUsage().heapUsed });
  } catch (error) {
    process.send({ error: String(error) });
  }
});
// It does not outlive who lets it endure.
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();
