import type { Duplex } from 'node:stream';
import { type Clock, KubeError } from '@flotilla/kube';
import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import { toCallStatus } from '../grpc/error-status.ts';
import { type TunnelFrame, tunnelAccepted } from '../hub-proxy/tunnel-frames.ts';
import { tunnelStream } from '../hub-proxy/tunnel-stream.ts';
import { callLimits } from '../limits.ts';
import { admissionOf } from './admission.ts';
import type { CallContext } from './call-context.ts';
import type { CallTimer } from './call-timer.ts';

export type TunnelCall = ServerDuplexStream<TunnelFrame, TunnelFrame>;

/** A connection that came over gRPC. */
export interface TunneledCall {
  readonly clusterName: string;
  /** Who opened it. */
  readonly call: CallContext;
  /** Aborts when it has ended. */
  readonly signal: AbortSignal;
}

/** Opens the other end of a tunnel. Throws what the caller is refused with. */
export type TunnelHandler = (tunnel: TunneledCall) => Promise<Duplex>;

const { headTimeoutMs } = callLimits;

/** Joins a call with what it leads to, until one of both ends. */
export async function handleTunnel(
  handler: TunnelHandler,
  call: TunnelCall,
  { timer, clock }: { readonly timer: CallTimer; readonly clock: Clock },
): Promise<void> {
  const gone = new AbortController();
  const { first, stream } = tunnelStream(call, () => undefined);
  stream.once('close', () => gone.abort());
  const late = clock.schedule(headTimeoutMs, () =>
    stream.destroy(new KubeError('Timeout', `the caller did not name its cluster for ${headTimeoutMs / 1000} s`)),
  );
  try {
    const { clusterName } = await first.finally(late);
    const target = await handler({ clusterName, call: admissionOf(call).context, signal: gone.signal });
    if (stream.destroyed) {
      target.destroy();
      throw new KubeError('Canceled', 'the caller has ended the call');
    }
    call.write(tunnelAccepted());
    target.on('error', () => stream.destroy());
    stream.once('close', () => target.destroy());
    target.once('close', () => {
      timer.end(status.OK);
      if (!call.cancelled) call.end();
      stream.destroy();
    });
    stream.pipe(target);
    target.pipe(stream);
  } catch (error) {
    const isExplained = error instanceof KubeError || !gone.signal.aborted;
    const refused = toCallStatus(isExplained ? error : new KubeError('Canceled', 'the caller has ended the call'));
    timer.end(refused.code);
    if (!call.cancelled) call.emit('error', refused);
    stream.destroy();
  }
}
