/** Commits what comes in together in one transaction: under load one write to the disk serves many results. */

interface Waiting<In, Out> {
  readonly item: In;
  resolve(out: Out): void;
  reject(error: unknown): void;
}

/**
 * A function that hands its argument to `commit` together with all others that came while the commit before was under
 * way. Where a commit of several fails, each is tried alone, so that one bad item spoils only itself.
 */
export function batched<In, Out>(
  commit: (items: readonly In[]) => Promise<readonly Out[]>,
  most: number,
): (item: In) => Promise<Out> {
  const queue: Waiting<In, Out>[] = [];
  let isCommitting = false;

  async function flush(batch: readonly Waiting<In, Out>[]): Promise<void> {
    try {
      const outs = await commit(batch.map(({ item }) => item));
      for (const [at, waiting] of batch.entries()) waiting.resolve(outs[at] as Out);
    } catch (error) {
      if (batch.length > 1) for (const waiting of batch) await flush([waiting]);
      else batch[0]?.reject(error);
    }
  }

  async function drain(): Promise<void> {
    if (isCommitting) return;
    isCommitting = true;
    try {
      while (queue.length > 0) await flush(queue.splice(0, most));
    } finally {
      isCommitting = false;
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      void drain();
    });
}
