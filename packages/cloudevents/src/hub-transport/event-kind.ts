import { apiVersionOf } from '@flotilla/kube/meta';
import { eventCodec } from '../codecs/codecs.ts';
import type { HubContext } from './hub-context.ts';
import type { HubKind } from './hub-kind.ts';

type KubeEvent = ReturnType<typeof eventCodec.decode>;

/** Events are created and never read. */
export function eventKind({ client, clusterName, clock }: HubContext): HubKind<KubeEvent> {
  return {
    apiVersion: apiVersionOf(eventCodec.resource),
    kind: eventCodec.resource.kind,
    async create(event, { signal, deadlineMs }) {
      const purpose = { source: clusterName, now: clock.now(), subresource: 'spec', action: 'create_request' } as const;
      await client.publish(eventCodec.encode(event, purpose), {
        ...(signal && { signal }),
        ...(deadlineMs !== undefined && { deadlineMs }),
      });
      return event;
    },
  };
}
