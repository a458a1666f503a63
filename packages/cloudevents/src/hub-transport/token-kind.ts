import { randomUUID } from 'node:crypto';
import { KubeError } from '@flotilla/kube';
import type { KubeRequest } from '@flotilla/kube/transport';
import { type TokenRequest, tokenRequestCodec } from '../codecs/token-request.ts';
import type { HubContext } from './hub-context.ts';
import { bodyOf, type RequestTarget } from './request-target.ts';

const answerMs = 10_000;

/** Gets a token of a ServiceAccount: the answer comes on a stream that is opened for it, with the uid of the request. */
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
      close = client.subscribe(
        { clusterName, dataType: tokenRequestCodec.dataType },
        {
          onSubscribed: () => void client.publish(tokenRequestCodec.encode(asked, purpose)).catch(reject),
          onEvent(event) {
            const answer = tokenRequestCodec.decode(event);
            if (answer.metadata?.uid === uid) resolve(answer);
          },
          onError: reject,
        },
      );
    });
  } finally {
    cancel();
    close();
  }
}
