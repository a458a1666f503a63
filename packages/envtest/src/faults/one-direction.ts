import type { Socket } from 'node:net';
import type { Clock } from '@flotilla/kube';

/** What the network does to bytes at the moment; shared by all connections of a relay. */
export interface Network {
  readonly held: boolean;
  readonly delayMs: number;
}

/** One direction of a relayed connection. */
export interface Direction {
  /** To be called when the network changed. */
  update(): void;
}

/**
 * Carries bytes, the end of the stream and its loss from one socket to the other, in order and as late as the network says.
 * While the network holds, reading stops too: the sender's window fills up as it would on a dead line.
 */
export function relayDirection(from: Socket, to: Socket, network: Network, clock: Clock): Direction {
  const pending: { due: number; deliver: () => void }[] = [];
  let waiting: (() => void) | undefined;

  const flush = () => {
    waiting?.();
    waiting = undefined;
    if (network.held) return;
    for (let next = pending[0]; next; next = pending[0]) {
      const early = next.due - clock.monotonic();
      if (early > 0) {
        waiting = clock.schedule(early, flush);
        return;
      }
      pending.shift();
      next.deliver();
    }
  };
  const send = (deliver: () => void) => {
    pending.push({ due: clock.monotonic() + network.delayMs, deliver });
    flush();
  };
  const resume = () => {
    if (!network.held) from.resume();
  };

  from.on('data', (chunk) =>
    send(() => {
      if (to.destroyed || to.write(chunk)) return;
      from.pause();
      to.once('drain', resume);
    }),
  );
  from.on('end', () => send(() => to.end()));
  from.on('close', (failed) => send(() => (failed ? to.resetAndDestroy() : to.destroySoon())));
  if (network.held) from.pause();

  return {
    update() {
      if (network.held) from.pause();
      else from.resume();
      flush();
    },
  };
}
