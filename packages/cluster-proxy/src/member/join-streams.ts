import type { Duplex } from 'node:stream';

/** Passes bytes in both directions. When one side has ended, the other gets the rest and ends too; when one breaks, so does the other. */
export function joinStreams(one: Duplex, other: Duplex): void {
  passOn(one, other);
  passOn(other, one);
}

function passOn(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => to.destroy());
  from.on('close', () => {
    if (from.readableEnded) to.end(() => to.destroy());
    else to.destroy();
  });
}
