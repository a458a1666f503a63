import { KubeError } from '@flotilla/kube';

/** What a call gives, or the fallback if the server does not serve the kind: its definition is not installed. */
export async function ifServed<T, F>(call: () => Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await call();
  } catch (error) {
    if (KubeError.is(error, 'NotFound', 'UnknownKind')) return fallback;
    throw error;
  }
}
