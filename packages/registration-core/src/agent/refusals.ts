import { KubeError, type Transport } from '@flotilla/kube';

/** Tells about answers of 401 and 403, wherever in the agent the request came from, and changes nothing else. */
export function watchRefusals(transport: Transport, onRefusal: (error: KubeError) => void): Transport {
  const watched = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (KubeError.is(error, 'Unauthorized', 'Forbidden')) onRefusal(error);
      throw error;
    }
  };
  return {
    request: (request) => watched(transport.request(request)),
    stream: (request) => watched(transport.stream(request)),
    moved: transport.moved,
    close: () => transport.close(),
  };
}
