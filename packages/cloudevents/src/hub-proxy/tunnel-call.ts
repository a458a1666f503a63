import type { Duplex } from 'node:stream';
import { KubeError } from '@flotilla/kube';
import { type Client, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { fromCallError } from '../grpc/error-status.ts';
import { tunnelHead, tunnelMethod } from './tunnel-frames.ts';
import { tunnelStream } from './tunnel-stream.ts';

/** Opens a connection of bytes to the hub, for the cluster of the caller. Throws KubeError if the hub refuses. */
export async function tunnelCall(
  client: Client,
  metadata: Metadata,
  clusterName: string,
  signal: AbortSignal,
): Promise<Duplex> {
  const context = `tunnel of cluster ${clusterName}`;
  if (signal.aborted) throw new KubeError('Canceled', context, { cause: signal.reason });
  const { path, requestSerialize, responseDeserialize } = tunnelMethod;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
  const { first, stream } = tunnelStream(call, () => call.cancel());
  const onAbort = () => stream.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  stream.once('close', () => signal.removeEventListener('abort', onAbort));
  call.write(tunnelHead(clusterName));
  try {
    await first;
    return stream;
  } catch (error) {
    stream.destroy();
    throw toKubeError(context, error);
  }
}

function toKubeError(context: string, error: unknown): KubeError {
  const { code, details } = error as Partial<ServiceError>;
  if (code === status.UNIMPLEMENTED) {
    return new KubeError('MethodNotAllowed', 'the gRPC server of the hub carries no tunnels', {
      hint: 'Run the gRPC server of Flotilla on the hub.',
    });
  }
  return code === undefined ? KubeError.from(error, context) : fromCallError(context, { code, details: details ?? '' });
}
