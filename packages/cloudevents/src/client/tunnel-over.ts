import type { Duplex } from 'node:stream';
import { KubeError } from '@flotilla/kube';
import type { CurrentChannel } from './current-channel.ts';

/** Opens a tunnel over the channel with the newest credentials, which stays open as long as the tunnel does. */
export async function tunnelOver(
  channels: Pick<CurrentChannel, 'hold'>,
  clusterName: string,
  signal: AbortSignal,
): Promise<Duplex> {
  const { channel, release } = await channels.hold();
  try {
    if (!channel.tunnel) throw new KubeError('MethodNotAllowed', 'the connection to the hub carries no tunnels');
    const stream = await channel.tunnel(clusterName, signal);
    stream.once('close', release);
    return stream;
  } catch (error) {
    release();
    throw error;
  }
}
