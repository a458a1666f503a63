import { randomUUID } from 'node:crypto';
import { KubeError } from '@flotilla/kube';
import type { KubeRequest } from '@flotilla/kube/transport';
import { type TokenRequest, tokenRequestCodec } from '../codecs/token-request.ts';
import type { CloudEvent } from '../event/cloud-event.ts';
import type { HubContext } from './hub-context.ts';
import { bodyOf, type RequestTarget } from './request-target.ts';

const answerMs = 10_000;

/**
 * Gets a token of a ServiceAccount. The answer has the uid of the request. It comes on a stream that is opened for it, and from a server of
 * this repository with the call as well, so that it does not matter whether another replica has the stream.
 */
export async function requestToken(
  { client, clusterName, clock }: HubContext,
  request: KubeRequest,
  { name = '', namespace = '' }: RequestTarget,
): Promise<TokenRequest> {
  const { spec } = bodyOf<TokenRequest>(request);
  const uid = randomUUID();
  const asked: TokenRequest = { metadata: { name, namespace, uid }, spec };
  const purpose = { source: clusterName, now: clock.now(), subresource: 'spec', action: 'create_request' } as const;
  let close = () => {};
  let cancel = () => {};
  try {
    return await new Promise<TokenRequest>((resolve, reject) => {
      cancel = clock.schedule(answerMs, () =>
        reject(new KubeError('Timeout', `no token of ${namespace}/${name} within ${answerMs / 1000} s`)),
      );
      const onReply = (event: CloudEvent) => {
        const answer = tokenRequestCodec.decode(event);
        if (answer.metadata?.uid === uid) resolve(answer);
      };
      close = client.subscribe(
        { clusterName, dataType: tokenRequestCodec.dataType },
        {
          onSubscribed: () => void client.publish(tokenRequestCodec.encode(asked, purpose), { onReply }).catch(reject),
          onEvent: onReply,
          onError: reject,
        },
      );
    });
  } finally {
    cancel();
    close();
  }
}
