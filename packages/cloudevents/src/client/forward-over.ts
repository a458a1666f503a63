import { type ForwardOptions, forwardingNotServed } from '../hub-proxy/forward-call.ts';
import { type ForwardAnswer, type ForwardHead, isLongRunning } from '../hub-proxy/forward-head.ts';
import type { CurrentChannel } from './current-channel.ts';

/** Sends a request over the channel with the newest credentials, which stays open until the answer has ended. */
export async function forwardOver(
  channels: Pick<CurrentChannel, 'hold'>,
  head: ForwardHead,
  { body, signal }: ForwardOptions,
): Promise<ForwardAnswer> {
  const { channel, retired, release } = await channels.hold();
  // Its reader opens it again, over the next channel.
  const ending = isLongRunning(head.path) ? retired : undefined;
  const signals = [signal, ending].filter((each) => each !== undefined);
  try {
    if (!channel.forward) throw forwardingNotServed();
    const answer = await channel.forward(head, { ...(body && { body }), signal: AbortSignal.any(signals) });
    return { ...answer, body: held(answer.body, release, ending) };
  } catch (error) {
    release();
    throw error;
  }
}

async function* held(
  body: AsyncIterable<Uint8Array>,
  release: () => void,
  ending: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (!ending?.aborted) throw error;
  } finally {
    release();
  }
}
