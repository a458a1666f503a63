import { KubeError } from '@flotilla/kube';
import type { Transport } from '@flotilla/kube/transport';

/** Receives errors of requests, wherever in the agent they came from. */
export interface FailureListeners {
  /** 401 and 403. */
  readonly onRefusal: (error: KubeError) => void;
  /** No answer at all. */
  readonly onUnreachable: () => void;
}

/** Reports failures, and changes nothing else. */
export function watchFailures(transport: Transport, { onRefusal, onUnreachable }: FailureListeners): Transport {
  const watched = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (KubeError.is(error, 'Unauthorized', 'Forbidden')) onRefusal(error);
      if (KubeError.is(error, 'Unavailable', 'Timeout')) onUnreachable();
      throw error;
    }
  };
  return {
    request: (request) => watched(transport.request(request)),
    stream: (request) => watched(transport.stream(request)),
    // A hub that offers no tunnels refuses them, and nothing else.
    ...(transport.upgrade && { upgrade: transport.upgrade.bind(transport) }),
    accessChanged: transport.accessChanged,
    close: () => transport.close(),
  };
}
