import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** What a Service of Kubernetes is: connections go to one of the targets, those that are open stay where they are. */
export interface Balancer extends AsyncDisposable {
  readonly port: number;
  /** Ports that connections may go to from now on. */
  targets: readonly number[];
  /** How many connections each port has now. */
  connections(): ReadonlyMap<number, number>;
}

/** Forwards connections to targets in turn; one without targets is closed at once. */
export async function startBalancer(): Promise<Balancer> {
  const open = new Map<Socket, number>();
  let next = 0;
  const server = createServer((near) => {
    const target = balancer.targets[next % Math.max(1, balancer.targets.length)];
    next += 1;
    near.on('error', () => {});
    if (target === undefined) {
      near.destroy();
      return;
    }
    const far = connect(target, '127.0.0.1');
    open.set(near, target);
    far.on('error', () => near.destroy());
    near.on('close', () => {
      open.delete(near);
      far.destroy();
    });
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const balancer: Balancer = {
    port: (server.address() as AddressInfo).port,
    targets: [],
    connections: () => {
      const counts = new Map<number, number>();
      for (const target of open.values()) counts.set(target, (counts.get(target) ?? 0) + 1);
      return counts;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open.keys()) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return balancer;
}
